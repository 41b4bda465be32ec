"""The accounting of a Slurm cluster on loopback: slurmdbd, and the MariaDB server in which it stores jobs. With it sacct
responds, by which programs other than Slurm's own follow jobs.

Needs Debian's slurmdbd and mariadb-server-core. The database is in the directory of the cluster and has no port: only
who may enter that directory reaches its socket, so it has no accounts."""

import getpass
import pathlib
import shutil

DATABASE = "slurm_acct_db"
# In the order in which they end.
DAEMONS = ("slurmdbd", "mariadbd")


def settings(munge: pathlib.Path, port: int) -> dict[str, str]:
    """The lines of slurm.conf of a cluster with accounting; its programs reach slurmdbd with munge's socket."""
    return {
        "AccountingStorageType": "accounting_storage/slurmdbd",
        "AccountingStorageHost": "127.0.0.1",
        "AccountingStoragePort": str(port),
        "AccountingStoragePass": str(munge),
    }


def start_database(cluster) -> dict[str, str]:
    """Starts a server with one empty database; the variables of its clients."""
    place = cluster.directory / "database"
    data = place / "data"
    data.mkdir(parents=True)
    socket = place / "socket"
    commands = place / "commands.sql"
    commands.write_text(f"CREATE DATABASE {DATABASE};\n")
    cluster.launch(
        "mariadbd",
        "mariadbd",
        "--no-defaults",
        f"--user={getpass.getuser()}",
        f"--datadir={data}",
        f"--socket={socket}",
        f"--pid-file={place / 'pid'}",
        f"--init-file={commands}",
        "--skip-networking",
        "--skip-grant-tables",
        "--innodb-buffer-pool-size=16M",
        "--innodb-flush-log-at-trx-commit=0",
    )
    cluster.wait((data / DATABASE).is_dir, "mariadbd does not make the database")
    cluster.wait(socket.exists, "mariadbd does not listen")
    return {"MYSQL_UNIX_PORT": str(socket)}


def start(cluster, port: int) -> None:
    """Starts the database and slurmdbd, which need munge, and which the controller needs."""
    for program in DAEMONS:
        assert shutil.which(program), f"`{program}` is missing: scripts/packages test"
    clients = start_database(cluster)
    # slurmdbd looks for its file where that of the cluster is.
    configuration = cluster.directory / "slurmdbd.conf"
    lines = {
        "AuthType": "auth/munge",
        "AuthInfo": f"socket={cluster.socket}",
        "CommunicationParameters": "NoInAddrAny",
        "DbdHost": cluster.host,
        "DbdAddr": "127.0.0.1",
        "DbdPort": str(port),
        "SlurmUser": getpass.getuser(),
        "PidFile": str(cluster.directory / "slurmdbd.pid"),
        "StorageType": "accounting_storage/mysql",
        "StorageHost": "localhost",
        "StorageUser": getpass.getuser(),
        "StorageLoc": DATABASE,
    }
    configuration.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
    configuration.chmod(0o600)
    cluster.launch("slurmdbd", "slurmdbd", "-D", variables=clients)
    cluster.wait(lambda: responds(cluster), "slurmdbd does not respond")


def responds(cluster) -> bool:
    return cluster.run("sacctmgr", "--noheader", "list", "cluster", check=False).returncode == 0

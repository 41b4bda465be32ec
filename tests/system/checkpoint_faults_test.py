"""A store that does not send the files of a checkpoint loses nothing of it."""

import pytest
from checkpoints import MESSAGE, Stopped, plain_ninja
from s3_faults import Answers, Handler, failing
from store_places_test import store_server

SOURCES = 8


class RefusesTexts(Answers):
    """The first `most` requests for outputs of commands are refused."""

    def __init__(self, most: int):
        super().__init__(403, "AccessDenied", "get-blob")
        self.most = most

    def act(self, handler: Handler) -> int:
        status, headers, body = handler.ask()
        if self.most > 0 and body.startswith(b"TEXT OF"):
            self.most -= 1
            return super().act(handler)
        handler.begin(status, headers, len(body))
        handler.wfile.write(body)
        return status


@pytest.fixture
def stopped(project, tmp_path):
    stopped = plain_ninja(project, tmp_path / "commands", SOURCES)
    retry = {"transient": 1, "backoff": "1s..1s"}
    stopped.project.edit(lambda matrix: matrix["build"].update(retry=retry))
    return stopped


def build_outcome(report: dict[str, dict]) -> dict:
    (build,) = [each for step, each in report.items() if step.startswith("build:")]
    return build


def check_continued(stopped: Stopped, whole: dict[str, str]) -> None:
    assert MESSAGE in stopped.log() and stopped.project.wheels() == whole
    assert sorted(stopped.commands()) == [f"t{number}.txt" for number in range(SOURCES)]


@pytest.mark.parts
@pytest.mark.takes(25)
def test_a_build_whose_checkpoint_did_not_arrive_is_tried_again(stopped):
    whole = stopped.whole()
    with store_server() as url:
        stopped.stop("--store", url)
        stopped.project.start_afresh()
        with failing(url, RefusesTexts(1)) as proxy:
            build = build_outcome(stopped.build("--store", f"{proxy.url}/a/prefix"))
    assert build["state"] == "done" and build["attempts"] == 2
    check_continued(stopped, whole)


@pytest.mark.parts
@pytest.mark.takes(25)
def test_a_checkpoint_that_never_arrives_fails_the_build_and_stays(stopped):
    whole = stopped.whole()
    with store_server() as url:
        stopped.stop("--store", url)
        done = stopped.commands()
        stopped.project.start_afresh()
        with failing(url, RefusesTexts(1000)) as proxy:
            build = build_outcome(stopped.build("--store", f"{proxy.url}/a/prefix", code=1))
        assert build["state"] == "failed" and build["error"]["kind"] == "transient"
        assert build["attempts"] == 2 and stopped.commands() == done
        stopped.build("--store", url)
    check_continued(stopped, whole)

import os
import time

import script_only

assert script_only.FLAVOR == os.environ["SCRIPT_FLAVOR"], script_only.FLAVOR
time.sleep(float(os.environ.get("SCRIPT_PAUSE", "0")))

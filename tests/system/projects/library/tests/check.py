import shutil

import answer

assert answer.answer() == 42
assert shutil.which("conda") is None

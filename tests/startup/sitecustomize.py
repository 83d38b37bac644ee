"""What Python imports first in each process that a test starts."""

import os

os.fsync = lambda _: None

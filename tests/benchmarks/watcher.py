"""Runs one command and prints what it took: `python -S watcher.py COMMAND…`.

A process begins with the peak memory of the one that starts it. This one is small, so that its figure is the
command's own.
"""

import os
import sys
import time

began = time.perf_counter()
silent = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=[silent])
_, status, usage = os.wait4(process, 0)
print(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)
sys.exit(os.waitstatus_to_exitcode(status) != 0)

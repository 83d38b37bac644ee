-- Module file for Lmod (and Environment Modules from 5.0 on): PREFIX is a virtual
-- environment into which topoview was installed, readable by all.
--
--   python3 -m venv /opt/topoview/0.1.0
--   /opt/topoview/0.1.0/bin/pip install "topoview-0.1.0-....whl[window]"
--   cp packaging/site/topoview.lua $MODULEPATH/topoview/0.1.0.lua

local prefix = "/opt/topoview/0.1.0"

help([[topoview: communication topology and waits of MPI programs, from OTF2 traces.
topoview TRACE opens the window, topoview help lists commands.]])
whatis("Name: topoview")
whatis("Version: 0.1.0")
whatis("Description: See the communication topology of MPI programs in their traces")

prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
prepend_path("XDG_DATA_DIRS", pathJoin(prefix, "share"))


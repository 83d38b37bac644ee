"""topoview: the communication topology of MPI programs, from their OTF2 traces."""

__version__ = "0.1.0"

"""Other tools' formats: traces, tables and topologies are written in them, not read."""

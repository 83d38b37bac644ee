"""From a communication matrix to the topology that explains it."""

"""Graph theory: isomorphism, products, matching; nothing of MPI."""

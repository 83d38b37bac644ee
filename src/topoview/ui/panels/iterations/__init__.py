"""The panel Iterations: a loop's iterations on all ranks as a heat map."""

extent = $dims
if ranks != $ranks:  # if lattice
    for side, axis in zip(MPI.Compute_dims(ranks, len(extent)), $longest_first):  # if lattice
        extent[axis] = side  # if lattice
periodic = $periodic
options(sys.argv[1:])
if ranks != $ranks or extent != $dims:  # if bound
    stop("this skeleton runs on $ranks ranks only")  # if bound
$tables
natural = extent != $dims  # if numbered
numbered = at_place = ()  # if rowwise
natural = True  # if rowwise


def rank_at(p):
    """Rank at a place."""
    return p if natural else at_place[p]


place, left = [], rank if natural else numbered[rank]
for n in extent:
    place.append(left % n)
    left //= n
if extent[0] != extent[1]:  # if square
    stop("partners are transposed: the lattice must be as long as wide")  # if square
if ranks != $ranks and ranks & (ranks - 1):  # if bits
    stop("partners differ by a bit: the number of ranks must be a power of two")  # if bits
places = 1  # if lattice
for n in extent:  # if lattice
    places *= n  # if lattice
if places != ranks:  # if lattice
    stop("the lattice has not a place for each rank: give --dims")  # if lattice
$axes = place  # if lattice
$extents = extent  # if lattice

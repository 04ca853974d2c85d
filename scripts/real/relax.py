"""relax.py [CELLS] [STEPS]: relaxation on a line of cells with mpi4py, for scripts/real-programs: objects are sent pickled, arrays as they are."""
import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
settings = {"cells": int(sys.argv[1]) if len(sys.argv) > 1 else 4000, "steps": int(sys.argv[2]) if len(sys.argv) > 2 else 200}
settings = world.bcast(settings if world.rank == 0 else None, root=0)
line = world.Create_cart([world.size], periods=[False])
left, right = line.Shift(0, 1)
inner = settings["cells"] // line.size
cells = array("d", [0.0]) * (inner + 2)
if line.rank == 0:
    cells[0] = 1.0

for step in range(settings["steps"]):
    with memoryview(cells) as view:
        line.Sendrecv([view[1:2], MPI.DOUBLE], dest=left, recvbuf=[view[inner + 1:], MPI.DOUBLE], source=right)
        line.Sendrecv([view[inner:inner + 1], MPI.DOUBLE], dest=right, recvbuf=[view[0:1], MPI.DOUBLE], source=left)
    moved = 0.0
    new = array("d", cells)
    for i in range(1, inner + 1):
        new[i] = 0.5 * (cells[i - 1] + cells[i + 1])
        moved += abs(new[i] - cells[i])
    cells = new
    if step % 10 == 9:
        moved = line.allreduce(moved, op=MPI.SUM)
        requests = [line.isend({"step": step, "moved": moved}, dest=right, tag=3)] if right != MPI.PROC_NULL else []
        if left != MPI.PROC_NULL:
            assert line.recv(source=left, tag=3)["step"] == step
        MPI.Request.waitall(requests)

halves = line.Split(line.rank % 2, line.rank)
total = halves.reduce(sum(cells[1:-1]), op=MPI.SUM, root=0)
sums = world.gather((world.rank, total), root=0)
halves.Free()
line.Free()
if world.rank == 0:
    print(f"{settings['cells']} cells, {settings['steps']} steps, sums {[round(total, 6) for _, total in sums if total is not None]}")

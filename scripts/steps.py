"""The steps of a study that takes programs through skelgen: trace, build, verify, each with a limit in time. Used by scripts/real-programs and scripts/suite-study."""
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKELGEN = ROOT / "build/release/bin/skelgen"
LAUNCHERS = {"mpich": ["mpiexec.mpich", "-n"], "openmpi": ["mpiexec.openmpi", "--oversubscribe", "-n"],
             "smpi": ["smpirun", "-platform", ROOT / "tests/mpi/smpi/platform.xml", "-hostfile", ROOT / "tests/mpi/smpi/hosts",
                      "--cfg=smpi/host-speed:1Gf", "--log=root.thres:critical", "-np"]}
# Open MPI refuses to run as root, and binds one or two ranks to a core each, unless told otherwise.
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}


def end(process):
    """Ends it and what it has started: skelgen and the launchers hand a signal on, what takes long to heed it is killed."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        pass
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclasses.dataclass
class Done:
    """A command that ended, or was ended (status None). said: the last line of stderr that is skelgen's, without its name."""
    status: int | None
    out: str
    said: str
    errors: str = ""


def run(words, timeout, cwd=None, environment=None):
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        # Files, not pipes: a pipe has an end only when all who inherited it have one.
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=cwd, start_new_session=True,
                                   env={**os.environ, **ENVIRONMENT, **(environment or {})})
        try:
            status = process.wait(timeout)
        except BaseException as problem:
            end(process)
            if not isinstance(problem, subprocess.TimeoutExpired):
                raise
            status = None
        for file in (out, err):
            file.seek(0)
        errors = err.read()
        said = [line for line in errors.splitlines() if line.startswith("skelgen: ")]
        return Done(status, out.read(), said[-1].removeprefix("skelgen: ").strip() if said else "", errors)


def json_of(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


@dataclasses.dataclass
class Outcome:
    """How far a program came. step is the last one tried (trace, info, build, verify), done how it ended; the objects of those that succeeded; seconds: of build."""
    step: str
    done: Done
    counted: dict | None = None
    built: dict | None = None
    verified: dict | None = None
    seconds: float = 0

    @property
    def identical(self):
        return bool(self.built and self.verified and self.built["lossless"] is True and self.verified.get("identical") is True and
                    self.verified.get("bytes_matrix_identical") is True)

    @property
    def refused(self):
        """build said in one line what it cannot do."""
        return self.step == "build" and self.done.status == 1 and bool(self.done.said)


def examine(launcher, command, work, timeout, cwd=None):
    """Traces the command, builds its skeleton and verifies that, in the directory work, with a limit for each step."""
    trace, skeleton = work / "t.trace", work / "t.skel"
    for old in (trace, skeleton):
        shutil.rmtree(old, ignore_errors=True)
    done = run([SKELGEN, "trace", "-o", trace, "--", *launcher, *command], timeout, cwd or work)
    if done.status != 0:
        return Outcome("trace", done)
    done = run([SKELGEN, "info", trace, "--json"], timeout)
    counted = json_of(done.out)
    if counted is None:
        return Outcome("info", done)
    begin = time.monotonic()
    done = run([SKELGEN, "build", trace, "-o", skeleton, "--json"], timeout)
    seconds = time.monotonic() - begin
    built = json_of(done.out)
    done.said = done.said.replace(f"{work}/", "")
    if built is None:
        return Outcome("build", done, counted, seconds=seconds)
    done = run([SKELGEN, "verify", trace, skeleton, "--json", "--", *launcher], timeout, work)
    done.said = done.said.replace(f"{work}/", "")
    return Outcome("verify", done, counted, built, json_of(done.out) or {}, seconds)

"""Five papers on comparing strings on GPUs: their figures, and where each figure comes from.

A figure that could not be found in a public source is not here, and the record says so."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """A time of a paper."""

    seconds: float
    what: str
    source: str


@dataclass(frozen=True)
class Paper:
    key: str
    title: str
    citation: str
    hardware: str
    # Sentences about the paper's results and their sources.
    findings: tuple[str, ...]
    # Times by table and case.
    times: dict[tuple[str, str], tuple[Published, ...]]

    def published(self, table, case):
        return self.times.get((table, case), ())


# The source of figures that are quoted without a table or page of the paper.
QUOTED = "quoted from the paper without its table; not checked again"
CPP_RUNS = "`src/cpp/parallel/benches.txt` in the authors' repository, github.com/cyang1/edit-distance"

YANG_ZHANG = Paper(
    key="yang-zhang",
    title="Edit distance and matching by length: Yang and Zhang",
    citation="C. Yang, K. Zhang. Parallel approaches to approximate string matching. Course project 15-418, 2014.",
    hardware="processor not named in the source; the GPU is of NVIDIA's Kepler family",
    findings=(
        "The threads divide each anti-diagonal of the matrix. The program in Java had six threads (`src/java/Benches.txt`, ibid.): "
        "11.858 s by rows, 26.343 s by diagonals and 6.662 s by diagonals in threads for 50,000 x 50,000; 23.718 s, 56.093 s and "
        "13.335 s for 50,000 x 100,000.",
        "The times of 50,000 x 100,000 include one of a wrong result: the threads printed the distance 80,857, the others 80,859.",
        "The distance of 50,000 x 50,000 symbols was 43,947, so the strings had far more than four letters: here they have 26.",
        f"Myers' algorithm over the lanes of a GPU took patterns of up to 49,152 symbols and was slower than on the authors' "
        f"processor ({QUOTED}). Its times: not found.",
    ),
    times={
        ("distance", "50,000 x 50,000"): (
            Published(8.347869, "rows", CPP_RUNS),
            Published(5.215763, "diagonals", CPP_RUNS),
            Published(1.539159, "diagonals, threads", CPP_RUNS),
        ),
        ("distance", "50,000 x 100,000"): (
            Published(16.839074, "rows", CPP_RUNS),
            Published(10.324378, "diagonals", CPP_RUNS),
            Published(3.276414, "diagonals, threads", CPP_RUNS),
        ),
    },
)

DICKER = Paper(
    key="dicker",
    title="Global alignment by prefix scan and by diagonals: Dicker et al.",
    citation="Dicker et al. Global alignment (Needleman-Wunsch) on a GPU by prefix scan along rows, and by anti-diagonals. Full title, "
    "venue and year: not found.",
    hardware="not found",
    findings=(f"The scan was faster up to 4,096 symbols, the diagonals from 8,192 on ({QUOTED}). The times of both: not found.",),
    times={},
)

YANG_XU_SHANG = Paper(
    key="yang-xu-shang",
    title="Longest common subsequence: Yang, Xu and Shang",
    citation="J. Yang, Y. Xu, Y. Shang. An efficient parallel algorithm for longest common subsequence problem on GPUs. World Congress on "
    "Engineering, 2010.",
    hardware="not found",
    findings=(f"For strings of 5,120 to 10,240 symbols the GPU was 6 times as fast as one processor ({QUOTED}). The times: not found.",),
    times={},
)

AKOGLU_STRIEMER = Paper(
    key="akoglu-striemer",
    title="Protein database search: Akoglu and Striemer",
    citation="A. Akoglu, G. M. Striemer. Scalable and highly parallel implementation of Smith-Waterman on graphics processing unit using "
    "CUDA. Cluster Computing, 2009.",
    hardware="NVIDIA Tesla C870",
    findings=(
        "The GPU was 23 times as fast as a serial program (abstract). Times for queries of less than 1,024 residues: not found.",
        "The database has 392,768 sequences, as Swiss-Prot had then, with lengths that resemble those of Swiss-Prot: see above.",
    ),
    times={
        ("search", "1,024 residues, 392,768 sequences"): (Published(279.7, "C870", QUOTED),),
    },
)

FARIVAR = Paper(
    key="farivar",
    title="Many short pairs: Farivar et al.",
    citation="R. Farivar, H. Kharbanda, S. Venkataraman, R. H. Campbell. An algorithm for fast edit distance computation on GPUs. "
    "Innovative Parallel Computing (InPar), 2012.",
    hardware="NVIDIA GeForce GTX 275; Intel Core i7-920, four cores (abstract)",
    findings=(
        "The paper computes alignments. The GPU was up to 8 times as fast as the four cores of the processor (abstract).",
        "Whether the paper's times include the copies to and from the GPU, and how similar its strings are: not found. Here the strings "
        "are random.",
    ),
    times={
        ("files", "12,582,720 pairs of 32, alignments"): (Published(6.95, "GTX 275", QUOTED),),
        ("files", "23,040,503 pairs of 36, alignments"): (Published(14.0, "GTX 275", QUOTED),),
    },
)

PAPERS = (YANG_ZHANG, DICKER, YANG_XU_SHANG, AKOGLU_STRIEMER, FARIVAR)

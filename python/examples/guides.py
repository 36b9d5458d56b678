"""Prints the sites of guides in a FASTA file, and counts the sites in 1,000 texts. Ctrl-C ends it.

python python/examples/guides.py tests/data/lambda.fa
"""

import sys
from pathlib import Path

import nigh

# A PAM in angle brackets matches without edits. Each place of a PAM is one site.
guides = nigh.Searcher(["GCGATCACCTGCCGATGCT<NGG>", "TTTGCTACCACCATGACTG<NGG>"], k=4, alphabet="dna")

try:
    for hits in guides.search_file_batches(Path(sys.argv[1]), sites=True, text=True):
        for hit in hits:
            print(hit["record"], hit["start"], hit["end"], hit["pattern"], hit["strand"], hit["distance"], hit["text"])
    texts = [f"TTGCGATCACTGCCGATGCT{pam}TT" for pam in ["AGG", "AGA"] * 500]
    print(sum(guides.count(text, sites=True) for text in texts), "sites in", len(texts), "texts")
except KeyboardInterrupt:
    sys.exit(130)

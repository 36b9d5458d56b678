"""Random strings that pairs.py compares: nucleotides, proteins, and copies with edits."""

AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
# The composition of Swiss-Prot in percent, in the order above.
COMPOSITION = [8.25, 5.53, 4.06, 5.46, 1.38, 3.93, 6.72, 7.07, 2.27, 5.91, 9.65, 5.80, 2.41, 3.86, 4.74, 6.65, 5.36, 1.10, 2.92, 6.85]
# The lengths of proteins are log-normal: mean and standard deviation of the logarithm, and the smallest length. The
# mean length is 350.
LENGTH_LOG_MEAN, LENGTH_LOG_DEVIATION, MIN_PROTEIN_LENGTH = 5.66, 0.63, 20


def string(random, letters, length):
    return "".join(random.choices(letters, k=length))


def protein(random, length):
    return "".join(random.choices(AMINO_ACIDS, COMPOSITION, k=length))


def protein_lengths(random, count, longest):
    lengths = (int(random.lognormvariate(LENGTH_LOG_MEAN, LENGTH_LOG_DEVIATION)) for _ in range(count))
    return [min(max(length, MIN_PROTEIN_LENGTH), longest) for length in lengths]


def mutated(random, original, letters, rate):
    """Returns a copy with edits."""
    copy = []
    for symbol in original:
        dice = random.random() / rate
        if dice >= 1:
            copy.append(symbol)
        elif dice < 1 / 3:
            copy.append(random.choice(letters))
        elif dice < 2 / 3:
            copy.extend((random.choice(letters), symbol))
    return "".join(copy)

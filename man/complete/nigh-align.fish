complete -c nigh-align -l strand -d 'Compare these strands of each query (default: both for nucleotides with --local, otherwise forward)' -r -f -a "both\t'Both strands'
forward\t'The sequence as it is given'
reverse\t'Its reverse complement'"
complete -c nigh-align -l matrix -d 'Score pairs of residues with this substitution matrix' -r -F
complete -c nigh-align -l match -d 'Score of two equal symbols (default: 2)' -r -f
complete -c nigh-align -l mismatch -d 'Cost of two different symbols (default: 3)' -r -f
complete -c nigh-align -l gap-open -d 'Cost of a gap, in addition to the cost of its symbols (default: 5; 11 with a matrix)' -r -f
complete -c nigh-align -l gap-extend -d 'Cost of each symbol of a gap (default: 2; 1 with a matrix)' -r -f
complete -c nigh-align -s k -l max-distance -d 'Print only pairs with an edit distance of at most NUM' -r -f
complete -c nigh-align -l min-score -d 'Print only pairs with a score of at least NUM (default with --local: 1)' -r -f
complete -c nigh-align -l top -d 'Print only the NUM best targets of each query' -r -f
complete -c nigh-align -l format -d 'Print rows in this format' -r -f -a "tsv\t'Query, target and value, separated by tabs (default)'
paf\t'PAF, with the alignment'
sam\t'SAM, with the alignment: targets are references, queries are reads'
json\t'One JSON object per line, with the fields of tsv'
align\t'Each alignment, with bars between equal symbols'
values\t'Only the value of each pair'"
complete -c nigh-align -l progress -d 'Show the progress on standard error: bytes, rate, results, time left' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh-align -l color -l colour -d 'Set when to use colours' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh-align -s j -l threads -d 'Use NUM threads; 0 means one for each core' -r -f
complete -c nigh-align -l engine -d 'Use this engine: \'cpu\', \'cuda\' for NVIDIA GPUs, or \'auto\' (default) for GPUs where the work is worth their start' -r -f -a "auto\t'The CPU, and NVIDIA GPUs where the work is long enough to be worth their start'
cpu\t'The CPU'
cuda\t'NVIDIA GPUs'"
complete -c nigh-align -l device -d 'Use these NVIDIA GPUs: NUM[,NUM...], or \'all\'' -r -f
complete -c nigh-align -l batch-size -d 'Read input in batches of BYTES, at most 1G' -r -f
complete -c nigh-align -l distance -d 'Compute the edit distance: the least number of insertions, deletions and substitutions (default)'
complete -c nigh-align -l lcs -d 'Compute the length of the longest common subsequence'
complete -c nigh-align -l global -d 'Compute the best score of a global alignment (Needleman-Wunsch)'
complete -c nigh-align -l local -d 'Compute the best score of a local alignment (Smith-Waterman)'
complete -c nigh-align -s p -l pairs -d 'Compare the first record of QUERY with the first of TARGET, the second with the second, and so on'
complete -c nigh-align -l bytes -d 'Compare the strings of tables and lists byte by byte, not character by character'
complete -c nigh-align -l text -d 'Read QUERY and TARGET as lists of lines, also if they begin with \'>\' or \'@\''
complete -c nigh-align -l all -d 'Print all local alignments of each pair that do not overlap in the target, the best first'
complete -c nigh-align -s c -l cigar -d 'Print the range and the CIGAR of each alignment'
complete -c nigh-align -l bits -d 'Print the score of local alignments in bits'
complete -c nigh-align -l header -d 'Print the names of the columns before the first row'
complete -c nigh-align -l debug -d 'Print how the work was done, and the time of each stage, on standard error'
complete -c nigh-align -s V -l version -d 'Print the version'
complete -c nigh-align -s h -l help -d 'Print help (see more with \'--help\')'

complete -c nigh-pcr -s e -l primers -d 'Use this pair of primers in place of PAIRS' -r -f
complete -c nigh-pcr -s l -l lengths -d 'Find products of MIN to MAX bases, primers included' -r -f
complete -c nigh-pcr -s k -l max-errors -d 'Allow at most NUM edits in each primer: a number, or NUM% of its length (default: 1)' -r -f
complete -c nigh-pcr -l edits -d 'Allow the edits that EXPR describes, such as \'i<=1,s<=2\' or \'2i+2d+s<=4\'' -r -f
complete -c nigh-pcr -l hits -d 'Set which matches of a primer make products' -r -f -a "best\t'The best of the matches that overlap (default)'
sites\t'The best match for each place of the exact group at an end of the primer'"
complete -c nigh-pcr -l ambiguous -d 'Set where a letter of the text that stands for several bases matches: \'any\' or \'none\'' -r -f
complete -c nigh-pcr -l format -d 'Print products in this format' -r -f -a "tsv\t'Thirteen columns separated by tabs (default)'
bed\t'BED with six columns'
fasta\t'A record for each product'
json\t'One JSON object per line, with the fields of tsv'
counts\t'A table of the number of products of each pair, with a header'"
complete -c nigh-pcr -l progress -d 'Show the progress on standard error: bytes, rate, results, time left' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh-pcr -l color -l colour -d 'Set when to use colours' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh-pcr -s j -l threads -d 'Use NUM threads; 0 means one for each core' -r -f
complete -c nigh-pcr -l engine -d 'Use this engine: \'cpu\', \'cuda\' for NVIDIA GPUs, or \'auto\' (default) for GPUs where the work is worth their start' -r -f -a "auto\t'The CPU, and NVIDIA GPUs where the work is long enough to be worth their start'
cpu\t'The CPU'
cuda\t'NVIDIA GPUs'"
complete -c nigh-pcr -l device -d 'Use these NVIDIA GPUs: NUM[,NUM...], or \'all\'' -r -f
complete -c nigh-pcr -l batch-size -d 'Read input in batches of BYTES, at most 1G' -r -f
complete -c nigh-pcr -l pool -d 'Find the products of any two primers'
complete -c nigh-pcr -l circular -d 'Treat each record as a circle, such as a plasmid'
complete -c nigh-pcr -l inner -d 'Print products without the matches of the primers'
complete -c nigh-pcr -l primer-bases -d 'Print products with the letters of the primers in place of their matches'
complete -c nigh-pcr -l header -d 'Print the names of the columns before the first row'
complete -c nigh-pcr -s H -l with-filename -d 'Print the name of the file in the first column'
complete -c nigh-pcr -l debug -d 'Print how the work was done, and the time of each stage, on standard error'
complete -c nigh-pcr -s V -l version -d 'Print the version'
complete -c nigh-pcr -s h -l help -d 'Print help (see more with \'--help\')'

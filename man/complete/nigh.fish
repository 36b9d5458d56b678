complete -c nigh -s k -l max-errors -d 'Allow at most NUM edits: a number, NUM% of the pattern\'s length, or \'auto\'' -r -f
complete -c nigh -l edits -d 'Allow the edits that EXPR describes, such as \'i<=1,s<=2\' or \'2i+2d+s<=4\'' -r -f
complete -c nigh -l overhang -d 'Let a pattern hang over the start or end of a line or record for COST a symbol' -r -f
complete -c nigh -l min-overlap -d 'With --overhang, keep at least NUM symbols of the pattern from hanging over' -r -f
complete -c nigh -l hits -d 'Choose which hits are printed: \'all\', \'best\' or \'sites\'' -r -f -a "all\t'Every hit'
best\t'The best hits that do not overlap, for each pattern and strand'
sites\t'The best hit for each place of an exact group, such as a PAM'"
complete -c nigh -l best -d 'Print only lines, records or hits with the least distance, in \'all\' inputs (default), in each \'file\' or each \'record\'' -f -a "all\t'In all inputs'
file\t'In each file'
record\t'In each record, over all patterns and both strands'"
complete -c nigh -s e -l regexp -d 'Search for PATTERN; can be given several times' -r -f
complete -c nigh -l near -d 'Match two patterns only within NUM symbols of each other' -r -f
complete -c nigh -s f -l file -d 'Search for the patterns in FILE, one per line; \'-\' is standard input' -r -F
complete -c nigh -l within -d 'Match only inside a range of positions of each line or record' -r -f
complete -c nigh -l strand -d 'Search these strands of nucleotides: \'both\' (default), \'forward\' or \'reverse\'' -r -f -a "both\t'Both strands'
forward\t'The sequence as it is given'
reverse\t'Its reverse complement'"
complete -c nigh -l ambiguous -d 'Set where a letter of the text that stands for several residues matches: \'any\' or \'none\'' -r -f
complete -c nigh -l columns -d 'Print these columns in this order: NAME[,NAME...]' -r -f
complete -c nigh -l include -d 'Search only files whose name matches GLOB' -r -f
complete -c nigh -l exclude -d 'Skip files whose name matches GLOB' -r -f
complete -c nigh -l exclude-from -d 'Skip files whose name matches a glob in FILE, one per line' -r -F
complete -c nigh -l exclude-dir -d 'Skip directories whose name matches GLOB' -r -f
complete -c nigh -s g -l glob -d 'Search only files whose path matches GLOB, or skip those that match !GLOB' -r -f
complete -c nigh -l binary-files -d 'Set how to search files with NUL bytes: \'binary\' (default), \'text\' or \'without-match\'' -r -f -a "binary\t'Print lines, or with -o matches, up to the first NUL byte, then a message if there are more matches'
without-match\t'Skip files with a NUL byte in the first 32 KiB, and the rest of other files after the first NUL byte'
text\t'Search as text (same as --text)'"
complete -c nigh -l record-start -d 'Search records of several lines; one begins with each line that EXPR matches exactly' -r -f
complete -c nigh -l encoding -d 'Read text in this encoding' -r -f
complete -c nigh -l format -d 'Print results in this form' -r -f -a "lines\t'The selected lines of text (default for text)'
matches\t'The matches alone, each on its own line (same as -o)'
ends\t'A row for each hit in text: file, byte offset just past the match, distance, pattern'
align\t'Each hit as an alignment: the pattern above the text, with bars between equal symbols'
json\t'JSON Lines (same as --json): in text in the format of ripgrep, in sequences with the fields of tsv'
tsv\t'Record, start, end, pattern, distance, strand, CIGAR, match; 0-based, half-open (default for sequences), or --columns'
sites\t'Guide and site aligned, with the numbers of mismatches and bulges'
cas-offinder\t'Input and output of Cas-OFFinder'
bed\t'BED with six columns'
sam\t'SAM with a header: records are references, patterns are reads'
paf\t'PAF: patterns are queries, records are targets'
fasta\t'Whole records that have a hit, as they are in the input'
count\t'The number of selected lines or records of each file (same as -c)'
count-matches\t'The number of matches of each file (same as --count-matches)'
count-patterns\t'A table of the hits of each pattern by distance'
histogram\t'The number of lines (in sequences: hits) with each distance'
files\t'The names of files with a selected line or record (same as -l)'
files-without\t'The names of files without a selected line or record (same as -L)'
none\t'No output: the search ends at the first match (same as -q)'"
complete -c nigh -s m -l max-count -d 'Stop after NUM selected lines or records of a file' -r -f
complete -c nigh -l max-hits -d 'Print at most NUM hits of each pattern' -r -f
complete -c nigh -s A -l after-context -d 'Print NUM lines of context after each selected line' -r -f
complete -c nigh -s B -l before-context -d 'Print NUM lines of context before each selected line' -r -f
complete -c nigh -s C -l context -d 'Print NUM lines of context before and after each selected line' -r -f
complete -c nigh -l group-separator -d 'Print STRING between groups of lines (default: --)' -r -f
complete -c nigh -s M -l max-columns -d 'Print excerpts of lines longer than NUM columns' -r -f
complete -c nigh -l replace -d 'Print TEXT in place of each match' -r -f
complete -c nigh -l label -d 'Use LABEL as the name of standard input' -r -f
complete -c nigh -l progress -d 'Show the progress on standard error: bytes, rate, hits, time left' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh -l color -l colour -d 'Set when to use colours: \'auto\' (on a terminal, the default), \'always\' or \'never\'' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh -s j -l threads -d 'Use NUM threads; 0 means one for each core' -r -f
complete -c nigh -l engine -d 'Use this engine: \'cpu\', \'cuda\' for NVIDIA GPUs, or \'auto\' (default) for GPUs where the work is worth their start' -r -f -a "auto\t'The CPU, and NVIDIA GPUs where the work is long enough to be worth their start'
cpu\t'The CPU'
cuda\t'NVIDIA GPUs'"
complete -c nigh -l device -d 'Use these NVIDIA GPUs: NUM[,NUM...], or \'all\'' -r -f
complete -c nigh -l batch-size -d 'Read input in batches of BYTES, at most 1G' -r -f
complete -c nigh -l memory -d 'Hold at most BYTES of input in memory' -r -f
complete -c nigh -l shard -d 'Search part I of N of the input' -r -f
complete -c nigh -s d -l directories -d 'Set what to do with a directory named as FILE: report it as an error (\'read\', default), search the files in it like -r (\'recurse\'), or \'skip\' it silently' -r -f -a "read\t'Report an error (default)'
recurse\t'Search the files in it, like -r'
skip\t'Skip it silently'"
complete -c nigh -s D -l devices -d 'Set what to do with a device, FIFO or socket named as FILE: \'read\' it like a file (default), or \'skip\' it silently' -r -f -a "read\t'Search it like a file (default)'
skip\t'Skip it silently'"
complete -c nigh -l transpositions -d 'Count a swap of two adjacent symbols as one edit'
complete -c nigh -l exact-group -d 'Match the parts of a pattern in \'<\' and \'>\' without edits'
complete -c nigh -l bytes -d 'Count edits in bytes instead of characters'
complete -c nigh -l cost -d 'Print the least distance of each line before the line'
complete -c nigh -s F -l fixed-strings -d 'Match patterns literally, without special characters'
complete -c nigh -s i -l ignore-case -d 'Ignore case (also -y)'
complete -c nigh -s S -l smart-case -d 'Ignore case if no pattern has an upper-case letter'
complete -c nigh -l no-ignore-case -d 'Do not ignore case (default); overrides -i and -S'
complete -c nigh -s w -l word-regexp -d 'Match only whole words'
complete -c nigh -s x -l line-regexp -d 'Match only whole lines or records'
complete -c nigh -s v -l invert-match -d 'Select lines or records without a match'
complete -c nigh -l fasta -d 'Treat every input as FASTA (default for .fa, .fasta, .fna, .ffn, .faa)'
complete -c nigh -l fastq -d 'Treat every input as FASTQ (default for .fq, .fastq)'
complete -c nigh -l protein -d 'Treat sequences as amino acids (default for .faa)'
complete -c nigh -l circular -d 'Treat each record as a circle, such as a plasmid'
complete -c nigh -l ignore-gaps -d 'Pass over gaps \'-\' and \'.\' in aligned sequences'
complete -c nigh -l header -d 'Print the names of the columns before the first row'
complete -c nigh -s r -l recursive -d 'Search the files in directories, recursively'
complete -c nigh -s R -l dereference-recursive -d 'Search directories like -r, but follow all symbolic links'
complete -c nigh -l ignore-vcs -d 'Respect .gitignore and .ignore files in directories, and skip .git'
complete -c nigh -s a -l text -d 'Treat every input as lines of text, including FASTA and binary files'
complete -c nigh -s I -d 'Skip binary files (same as --binary-files=without-match)'
complete -c nigh -l no-decompress -d 'Search the bytes of compressed input as they are'
complete -c nigh -l ignore-ansi -d 'Print escape sequences of terminals, such as colours, but do not search them'
complete -c nigh -s z -l null-data -d 'End lines with NUL instead of a newline, in input and output'
complete -c nigh -l crlf -d 'Treat a carriage return before a newline as part of the line end'
complete -c nigh -s s -l no-messages -d 'Suppress messages about files that cannot be read'
complete -c nigh -s c -l count -d 'Print only the number of selected lines or records of each file'
complete -c nigh -l count-matches -d 'Print only the number of matches of each file: those that -o shows, or in sequences the rows of hits'
complete -c nigh -s l -l files-with-matches -d 'Print only the names of files with a selected line or record'
complete -c nigh -s L -l files-without-match -d 'Print only the names of files without a selected line or record'
complete -c nigh -s q -l quiet -d 'Print nothing; exit at the first match'
complete -c nigh -s o -l only-matching -d 'Print only the matches, each on its own line'
complete -c nigh -s b -l byte-offset -d 'Print the byte offset of each line, or of each match with -o'
complete -c nigh -s n -l line-number -d 'Print line numbers'
complete -c nigh -l column -d 'Print the column of the first match in a line, or of each match with -o'
complete -c nigh -l vimgrep -d 'Print a line for each match, with file name, line number and column'
complete -c nigh -l json -d 'Print JSON Lines: in text in the format of ripgrep, in sequences with the fields of tsv'
complete -c nigh -l stats -d 'Print statistics about the search after the results'
complete -c nigh -s H -l with-filename -d 'Print file names, even for a single file'
complete -c nigh -s h -l no-filename -d 'Do not print file names'
complete -c nigh -l passthru -d 'Print all lines, including those without a match'
complete -c nigh -l no-group-separator -d 'Do not print a separator between groups of lines'
complete -c nigh -s Z -l null -d 'Print a NUL byte after file names, instead of \':\' or a newline'
complete -c nigh -s T -l initial-tab -d 'Print a tab before each line, so that tabs in it line up'
complete -c nigh -l trim -d 'Remove white space at the start of lines'
complete -c nigh -l heading -d 'Print the file name once, above its lines'
complete -c nigh -l no-heading -d 'Print the file name on every line (default)'
complete -c nigh -l line-buffered -d 'Write each line as soon as it is complete'
complete -c nigh -l debug -d 'Print how the work was done, and the time of each stage, on standard error'
complete -c nigh -s E -l extended-regexp -d 'No effect: patterns are extended regular expressions'
complete -c nigh -s G -l basic-regexp -d 'Refuse patterns that mean something else in a basic regular expression'
complete -c nigh -s P -l perl-regexp -d 'No effect: \'\\d\', \'\\w\' and \'\\b\' are always supported'
complete -c nigh -s U -l binary -d 'No effect, as in GNU grep on Unix'
complete -c nigh -l hidden -d 'No effect: hidden files are always searched'
complete -c nigh -l decompress -d 'Decompress input, which is the default; overrides --no-decompress'
complete -c nigh -s u -l unrestricted -d 'Do not respect ignore files; overrides --ignore-vcs'
complete -c nigh -s N -l no-line-number -d 'Do not print line numbers; overrides -n'
complete -c nigh -l no-color -d 'Do not use colours (same as --color=never)'
complete -c nigh -l no-config -d 'Do not read the file that NIGH_CONFIG_PATH names'
complete -c nigh -s '?' -d 'Print a short help with the most common options'
complete -c nigh -l help -d 'Print the full help'
complete -c nigh -s V -l version -d 'Print the version'
complete -c nigh -s 0 -d 'Allow at most this number of edits: -0 to -9 are -k 0 to -k 9'
complete -c nigh -s 1 -d 'Same as -k 1'
complete -c nigh -s 2 -d 'Same as -k 2'
complete -c nigh -s 3 -d 'Same as -k 3'
complete -c nigh -s 4 -d 'Same as -k 4'
complete -c nigh -s 5 -d 'Same as -k 5'
complete -c nigh -s 6 -d 'Same as -k 6'
complete -c nigh -s 7 -d 'Same as -k 7'
complete -c nigh -s 8 -d 'Same as -k 8'
complete -c nigh -s 9 -d 'Same as -k 9'

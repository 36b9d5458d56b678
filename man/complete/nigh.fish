complete -c nigh -s k -l max-errors -d 'Allow at most K edits: a number, \'10%\' of the pattern\'s length, or \'auto\'' -r -f
complete -c nigh -l max-ins -d 'Allow at most NUM insertions among the edits: symbols of the text that the pattern lacks, \'D\' in a CIGAR. Where such limits are given and -k is not, K is their sum, each times its cost, and at least 1' -r -f
complete -c nigh -l max-del -d 'Allow at most NUM deletions among the edits: symbols of the pattern that the text lacks, \'I\' in a CIGAR' -r -f
complete -c nigh -l max-sub -d 'Allow at most NUM substitutions among the edits' -r -f
complete -c nigh -l ins-cost -d 'Let an insertion cost NUM; K then bounds the cost of all edits together' -r -f
complete -c nigh -l del-cost -d 'Let a deletion cost NUM' -r -f
complete -c nigh -l sub-cost -d 'Let a substitution cost NUM; 2 makes the distance that of the longest common subsequence' -r -f
complete -c nigh -l hits -d 'Print every end of a match in sequences and with --ends, or only the best of those matches that overlap' -r -f -a "all\t'Every end'
best\t'The best matches of each pattern and strand, none of which overlaps another: best first by distance, then by length nearest to the pattern\'s, then leftmost'"
complete -c nigh -l best -d 'Print only the lines or records with the least distance there is, in all inputs or in each file; or of each record only the hits with the least distance in it' -f -a "all\t'In all inputs'
file\t'In each file'
record\t'In each record, over all patterns and both strands: of its hits, those with the least distance are printed, all of several equals. So a read gets the barcodes that fit it best. With --ends and --align a line of text is a record; otherwise this is for sequences, since a line is printed as a whole. Inputs are read once; rows of a record larger than a batch wait in a temporary file until it ends. --stats counts all hits as matches'"
complete -c nigh -s e -l regexp -d 'Find PATTERN too; for more patterns than one, or one that starts with \'-\'' -r -f
complete -c nigh -s f -l file -d 'Find the patterns in FILE too, one a line, or those of a FASTA or FASTQ file' -r -F
complete -c nigh -l strand -d 'Search nucleotides on these strands. A palindrome, such as GAATTC, is found on each of them, so each of its sites has two rows; \'forward\' prints one' -r -f -a "both\t'Both'
forward\t'The text as it stands'
reverse\t'Its reverse complement'"
complete -c nigh -l format -d 'Print hits, or the records that have some, in this format. Rows are in order of the records, and in a record of where matches end. Only tsv, sites and json can name the file, with -H: in the others records of one name in two files cannot be told apart' -r -f -a "tsv\t'record, start, end, pattern, distance, strand, CIGAR, match; 0-based, half-open'
sites\t'record, start, end, pattern, strand, then the match laid against its pattern in the direction of the pattern, 5\' to 3\': guide, site, mismatches, DNA bulges, RNA bulges. In the site a mismatch is in lower case; \'-\' stands in the guide for a base that only the text has (a DNA bulge), in the site for one that only the pattern has (an RNA bulge). Bulges are counted in bases, and a PAM is at the end of both'
bed\t'BED with six columns; the score is 1000 less the edited part of the pattern: 900 for 2 edits in 20. \'sort -k1,1 -k2,2n\' puts rows in order of start, which bedtools merge wants'
sam\t'SAM with a header: records are the references, patterns the reads. Of the rows of a read, the one with the fewest edits is its primary line, the first of equals; the others are secondary (FLAG 0x100). An IUPAC code that holds the base of the text is a match in CIGAR and NM, where samtools calmd counts a mismatch. With --hits all a CIGAR may end in D; with --hits best none does'
paf\t'PAF: patterns are the queries, records the targets'
json\t'A JSON object on each line, with the fields of the table'
fasta\t'The whole records that have a hit, as they stand in the input'"
complete -c nigh -l include -d 'Search only files whose name fits GLOB; of all such rules that fit a name the last counts' -r -f
complete -c nigh -l exclude -d 'Pass over files whose name fits GLOB' -r -f
complete -c nigh -l exclude-from -d 'Pass over files whose name fits a line of FILE' -r -F
complete -c nigh -l exclude-dir -d 'Pass over folders whose name fits GLOB' -r -f
complete -c nigh -s g -l glob -d 'In folders, search only files whose path fits GLOB, or with \'!\' before it those whose path does not' -r -f
complete -c nigh -l binary-files -d 'Search files with NUL bytes in this way' -r -f -a "binary\t'Print their lines up to the first NUL byte, and then a message if a line matches'
without-match\t'Pass over those with a NUL byte in the first 32 KiB, and of others what follows the first NUL byte'
text\t'Search them as text: the same as --text'"
complete -c nigh -l encoding -d 'Read text in this encoding: a label as \'latin1\', \'auto\' for UTF-8 and UTF-16 by their byte order mark, or \'none\' for the bytes as they are' -r -f
complete -c nigh -l delimiter -d 'Lines end with STR, in input and output: \'\\n\', \'\\t\', \'\\r\', \'\\0\', \'\\xHH\' and \'\\\\\' stand for a byte' -r -f
complete -c nigh -s m -l max-count -d 'Stop after NUM lines or records of a file; below 0 there is no limit' -r -f
complete -c nigh -s A -l after-context -d 'Print NUM lines of context after each line' -r -f
complete -c nigh -s B -l before-context -d 'Print NUM lines of context before each line' -r -f
complete -c nigh -s C -l context -d 'Print NUM lines of context on both sides' -r -f
complete -c nigh -l group-separator -d 'Print STRING between groups of lines' -r -f
complete -c nigh -s M -l max-columns -d 'Say of a line longer than NUM bytes, with its end, only that it is there; 0 is no limit' -r -f
complete -c nigh -l label -d 'Call standard input LABEL' -r -f
complete -c nigh -l color -l colour -d 'Use colours' -f -a "auto\t'On a terminal'
always\t'Always'
never\t'Never'"
complete -c nigh -s j -l threads -d 'Use NUM threads; 0 is one for each core' -r -f
complete -c nigh -l engine -d 'Search with this engine' -r -f -a "auto\t'The processor\'s cores, and NVIDIA devices where the work pays for their start'
cpu\t'The processor\'s cores'
cuda\t'NVIDIA devices'"
complete -c nigh -l device -d 'Use NVIDIA device NUM, several of them, or all: NUM[,NUM...] or \'all\'. If they are missing, --engine cuda is an error, and --engine auto prints a message and searches on the processor' -r -f
complete -c nigh -l batch-size -d 'Read so many bytes for a batch; K, M and G stand for 1024 bytes and so on' -r -f
complete -c nigh -l memory -d 'Hold no more than BYTES of input at a time, but for a line or record that is longer; K, M and G as above' -r -f
complete -c nigh -l shard -d 'Search the I-th of N parts of the input: what all N print, one after the other, is what one alone prints, if files, patterns and --batch-size are the same. With BYTES, the size of all files together as \'wc -c\' counts it, nothing is searched if they have another size: between processes that see different sizes, matches are lost or printed twice' -r -f
complete -c nigh -s d -l directories -d 'Set how a folder given as FILE is treated' -r -f -a "read\t'Report an error (the default)'
recurse\t'Search the files in it, as -r does'
skip\t'Pass over it silently'"
complete -c nigh -s D -l devices -d 'Set how a device, pipe or socket given as FILE is treated; those in folders are always skipped' -r -f -a "read\t'Search it as a file (the default)'
skip\t'Pass over it silently'"
complete -c nigh -l generate -d 'Print the man page or completions' -r -f -a "man\t'The manual page, as roff'
complete-bash\t'Completions for bash'
complete-zsh\t'Completions for zsh'
complete-fish\t'Completions for fish'"
complete -c nigh -l transpositions -d 'Take two neighbours that are swapped for one edit, which costs 1; nothing else is done to the two'
complete -c nigh -l exact-group -d 'Take \'<\' and \'>\' in a pattern for the bounds of a part that must match without edits; \'\\<\' and \'\\>\' are the plain symbols. With --hits all a match may go on behind a group at the end of its pattern, as D in the CIGAR; with --hits best, or K as \'4s\', it ends with the group'
complete -c nigh -l bytes -d 'Count an edit in bytes, not in characters. Only the letters of ASCII then have case and are parts of words'
complete -c nigh -l ends -d 'Print a row for every end position: file, byte offset just past the match, distance, pattern'
complete -c nigh -l cost -d 'Print the least distance of a line before it'
complete -c nigh -s F -l fixed-strings -d 'Take patterns as they stand: no symbol is special'
complete -c nigh -s i -l ignore-case -d 'Ignore case; so does -y'
complete -c nigh -s S -l smart-case -d 'Ignore case if no pattern has a letter in upper case'
complete -c nigh -l no-ignore-case -d 'Do not ignore case: takes back -i and -S'
complete -c nigh -s w -l word-regexp -d 'Find whole words only'
complete -c nigh -s x -l line-regexp -d 'Find whole lines or records only'
complete -c nigh -s v -l invert-match -d 'Select lines or records without a match'
complete -c nigh -l fasta -d 'Treat every input as FASTA. This is the default for files named .fa .fasta .fna .ffn .faa, and for .fas .fsa .frn .mfa .seq if they begin with \'>\', also compressed. Sequences whose first byte is \'@\' are read as FASTQ. Lines end with LF or CRLF. Every character but white space is a residue and counts in coordinates, as in samtools faidx; one that is no code, such as \'-\' or \'1\', matches nothing, not even N'
complete -c nigh -l fastq -d 'Treat every input as FASTQ. This is the default for files named .fq .fastq, also compressed. Sequences whose first byte is \'>\' are read as FASTA'
complete -c nigh -l protein -d 'Take sequences for amino acids; those in .faa files are anyway'
complete -c nigh -l header -d 'Name the columns before the first row'
complete -c nigh -s r -l recursive -d 'Search the files in folders and below them; without FILE, in this folder'
complete -c nigh -s R -l dereference-recursive -d 'The same, following all links'
complete -c nigh -l ignore-vcs -d 'In folders, pass over what .gitignore and .ignore files name, and .git'
complete -c nigh -s a -l text -d 'Take all inputs for lines of text, also FASTA and binary files'
complete -c nigh -s I -d 'Pass over binary files: the same as --binary-files=without-match'
complete -c nigh -l decompress -d 'Decompress gzip, bgzf, zstd, xz, bzip2 and lz4, recognised by their first bytes; for sequences this is always done. Of damaged input, what comes before the damage is searched, and a line or record cut by it is not taken to end there'
complete -c nigh -s z -l null-data -d 'Lines end with NUL, in input and output'
complete -c nigh -l crlf -d 'A carriage return before the end of a line belongs to it: \'$\' matches before it'
complete -c nigh -s s -l no-messages -d 'Say nothing about files that cannot be read'
complete -c nigh -s c -l count -d 'Print only the number of lines or records selected: of a genome in one record, 1. --count-matches counts the matches in them'
complete -c nigh -l count-matches -d 'Print only the number of matches, as -o would show them'
complete -c nigh -s l -l files-with-matches -d 'Print only the names of files with a line or record selected'
complete -c nigh -s L -l files-without-match -d 'Print only the names of files with nothing selected'
complete -c nigh -s q -l quiet -d 'Print nothing; end at the first match'
complete -c nigh -s o -l only-matching -d 'Print only the matches, each on a line of its own'
complete -c nigh -s b -l byte-offset -d 'Print the byte offset of each line, or of each match with -o. A byte order mark of UTF-8 counts, also for --column'
complete -c nigh -s n -l line-number -d 'Print line numbers'
complete -c nigh -l column -d 'Print the column of the first match in a line, or of each match with -o: in bytes, from 1. Line numbers are printed only with -n'
complete -c nigh -l vimgrep -d 'Print a line for each match, with file name, line number and column'
complete -c nigh -l json -d 'Print JSON Lines, as ripgrep does, with the cost, pattern and CIGAR of each match'
complete -c nigh -l histogram -d 'Print how many lines (in sequences: hits) there are of each distance; with -H, for each file'
complete -c nigh -l stats -d 'Print after all else what was searched and found'
complete -c nigh -s H -l with-filename -d 'Print file names, also for one file'
complete -c nigh -s h -l no-filename -d 'Print no file names'
complete -c nigh -l passthru -d 'Print all lines; \':\' tells those with a match'
complete -c nigh -l no-group-separator -d 'Print nothing between groups of lines'
complete -c nigh -s Z -l null -d 'Print NUL and not \':\' behind file names'
complete -c nigh -s T -l initial-tab -d 'Put a tab before each line, so that tabs in it stand where they would'
complete -c nigh -l trim -d 'Leave out white space at the start of lines'
complete -c nigh -l heading -d 'Print each file name once, above its lines'
complete -c nigh -l no-heading -d 'Print file names before each line; so it is anyway'
complete -c nigh -l align -d 'Print each hit as three lines, for people: the pattern over bars over the text'
complete -c nigh -l line-buffered -d 'Write each line as soon as it is found'
complete -c nigh -l progress -d 'Say how far the search is, on standard error: bytes, rate, hits, time left. Without it, this is done on a terminal that shows no results, when the search is long. A search that takes an hour or more says so in any case'
complete -c nigh -l no-progress -d 'Never say how far the search is'
complete -c nigh -l debug -d 'Say on standard error how the patterns were searched for'
complete -c nigh -s E -l extended-regexp -d 'Accepted without effect: patterns are extended regular expressions anyway. Of -E, -F, -G and -P the last counts'
complete -c nigh -s G -l basic-regexp -d 'Take a pattern if it means the same in a basic regular expression, as \'a.b\' does; refuse others'
complete -c nigh -s P -l perl-regexp -d 'Accepted without effect: \'\\d\', \'\\w\' and \'\\b\' are known anyway, and what else Perl has is refused by name'
complete -c nigh -s U -l binary -d 'Accepted without effect, as in GNU grep on Unix; ripgrep\'s --multiline does not exist'
complete -c nigh -l hidden -d 'Accepted without effect: hidden files are searched anyway'
complete -c nigh -s u -l unrestricted -d 'Search also what ignore files name: takes back --ignore-vcs'
complete -c nigh -s N -l no-line-number -d 'Print no line numbers: takes back -n'
complete -c nigh -l no-color -d 'Use no colours: the same as --color=never'
complete -c nigh -l no-config -d 'Do not read the file of arguments that the environment variable NIGH_CONFIG_PATH names'
complete -c nigh -s '?' -d 'Print a short help: the options that are used most'
complete -c nigh -l help -d 'Print the help with all options; -h is --no-filename, as in GNU grep'
complete -c nigh -s V -l version -d 'Print the version'
complete -c nigh -s 0 -d '\'-0\' to \'-9\' are \'-k 0\' to \'-k 9\'; a number of more digits needs -k, and \'-12\' is refused'
complete -c nigh -s 1 -d 'The same as -k 1'
complete -c nigh -s 2 -d 'The same as -k 2'
complete -c nigh -s 3 -d 'The same as -k 3'
complete -c nigh -s 4 -d 'The same as -k 4'
complete -c nigh -s 5 -d 'The same as -k 5'
complete -c nigh -s 6 -d 'The same as -k 6'
complete -c nigh -s 7 -d 'The same as -k 7'
complete -c nigh -s 8 -d 'The same as -k 8'
complete -c nigh -s 9 -d 'The same as -k 9'

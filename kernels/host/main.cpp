// Reads cases from standard input, runs a kernel on each, and prints its result.
//
// A case is a sequence of words: the kind, the numbers of that kind, the text, and the patterns. The text is one word with a character
// '0' + code for each symbol. A pattern is "ROWS K", then for each row a word with the codes that match it ("-" for none).
// A search prints the number of hits, the number of hits that fit the buffer, and a line for each of these. A traceback
// prints for each hit its start and a letter for each edit. A comparison of pairs has two hexadecimal strings for each pair ("-" for an
// empty one) instead of a text and patterns, and prints a number for each pair.
#include <iostream>
#include <string>

#include "bands_cases.h"
#include "local_cases.h"
#include "pairs_cases.h"
#include "score_rows_cases.h"
#include "score_tiles_cases.h"
#include "sliced_cases.h"
#include "symbols_cases.h"
#include "trace_cases.h"
#include "word_cases.h"

int main() {
    std::ios::sync_with_stdio(false);
    std::string kind;
    while (std::cin >> kind) {
        if (kind == "sliced") {
            run_sliced_case(std::cin, std::cout);
        } else if (kind == "symbols") {
            run_symbols_case(std::cin, std::cout);
        } else if (kind == "bands") {
            run_bands_case(std::cin, std::cout);
        } else if (kind == "word") {
            run_word_case(std::cin, std::cout, CarryForm::Skew);
        } else if (kind == "scan") {
            run_word_case(std::cin, std::cout, CarryForm::Scan);
        } else if (kind == "local") {
            run_local_case(std::cin, std::cout);
        } else if (kind == "score_rows") {
            run_score_rows_case(std::cin, std::cout);
        } else if (kind == "score_tiles") {
            run_score_tiles_case(std::cin, std::cout);
        } else if (kind == "trace") {
            run_trace_case(std::cin, std::cout);
        } else if (kind == "pairs") {
            run_pairs_case(std::cin, std::cout);
        } else if (kind == "pair_trace") {
            run_pair_trace_case(std::cin, std::cout);
        } else if (kind == "tiles") {
            run_tiles_case(std::cin, std::cout);
        } else {
            std::cerr << "no kernel '" << kind << "'\n";
            return 2;
        }
    }
}

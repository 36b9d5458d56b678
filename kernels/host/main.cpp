// Runs the kernels on cases from the standard input, one after the other, and prints what they find.
//
// A case is a line of its kind and its numbers, then the text as one word, a character '0' + code for each symbol, then the
// patterns, each "ROWS K" and for each row the codes that match it, written in the same way ("-" for none). The
// answer of a search is the number of hits, how many of them fit the buffer, and those, a line each; that of a traceback, for each hit its
// start and a letter for each edit.
#include <iostream>
#include <string>

#include "bands_cases.h"
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
            run_word_case(std::cin, std::cout);
        } else if (kind == "trace") {
            run_trace_case(std::cin, std::cout);
        } else {
            std::cerr << "no kernel '" << kind << "'\n";
            return 2;
        }
    }
}

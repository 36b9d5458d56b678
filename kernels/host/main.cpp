// Reads cases from standard input, runs a kernel on each, and prints its result.
//
// A case is a sequence of words: the kind, the numbers of that kind, the text, and the patterns. The text is one word with a character
// '0' + code for each symbol. A pattern is "ROWS K", then for each row a word with the codes that match it ("-" for none).
// A search prints the number of hits, the number of hits that fit the buffer, and a line for each of these. A traceback
// prints for each hit its start and a letter for each edit.
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

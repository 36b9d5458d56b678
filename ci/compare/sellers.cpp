// Compares the rows of nigh with Sellers' algorithm, computed cell by cell.
//
// Sellers, "The theory and computation of evolutionary distances: pattern recognition", 1980. D[i][j] is the smallest
// distance between the first i symbols of the pattern and any substring of the text that ends at j. D[0][j] = 0, and
// D[i][j] = min(D[i-1][j-1] + (differ ? 1 : 0), D[i-1][j] + 1, D[i][j-1] + 1). Complexity: O(mn). The program uses no
// bit-parallel step, no filter and no cut-off, and shares no source with nigh.
//
// usage: nigh ... | sellers [OPTIONS] PATTERNS TEXT
//
// PATTERNS has lines of name<TAB>pattern<TAB>k. Rows of text must be those of `nigh --format=ends`, in order. Rows of sequences
// must be those of nigh's table; the CIGAR of every row is replayed over the text. The last line of output is the number
// of hits. At the first row that differs, the program prints the expected and the actual row and exits with status 1.

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

using Byte = uint8_t;

// The code at the end of a line or a record.
constexpr Byte BREAK = 255;
// The code of a text symbol that is no base.
constexpr Byte NO_BASE = 16;
// The value of max_ins, max_del and max_sub without a limit.
constexpr int UNLIMITED = 1000;
// A distance that is larger than every k.
constexpr int FAR = 30000;

struct Options {
    enum class Alphabet { Text, Bytes, Dna } alphabet = Alphabet::Text;
    enum class Edges { None, Word, Line } edges = Edges::None;
    enum class Strands { Both, Forward } strands = Strands::Both;
    bool ignore_case = false, classes = false, groups = false, transpositions = false;
    int max_ins = UNLIMITED, max_del = UNLIMITED, max_sub = UNLIMITED;
    int ins_cost = 1, del_cost = 1, sub_cost = 1;
    std::string file = "t", patterns, text;

    // Returns whether hits depend on more than the Levenshtein distance of single symbols.
    bool has_constraints() const {
        return edges != Edges::None || classes || groups || transpositions || ins_cost + del_cost + sub_cost != 3 ||
               max_ins + max_del + max_sub != 3 * UNLIMITED;
    }
};

// One symbol of a pattern, with its constraints.
struct Symbol {
    // The characters of a literal or a class.
    std::vector<uint32_t> members;
    // Matches every character, as '.' does.
    bool any = false;
    // Part of an exact group: must not be deleted or substituted.
    bool exact = false;
    // No symbol may be inserted after it.
    bool no_insertion_after = false;
    Byte code = 0;
    // Whether the symbol matches each code of the text.
    bool matches[256] = {};
};

struct Pattern {
    std::string name;
    int k = 0;
    char strand = '+';
    std::vector<Symbol> symbols;
    int length() const { return static_cast<int>(symbols.size()); }
};

struct Record {
    std::string name, residues;
    size_t first = 0;
};

// The text as codes. `ends` has the byte offset just past each symbol; it is empty if every symbol is one byte. `is_word` tells
// for -w whether a symbol is a word character.
struct Text {
    std::vector<Byte> codes;
    std::vector<uint64_t> ends;
    std::vector<bool> is_word;
    std::vector<Record> records;
    uint64_t end(size_t at) const { return ends.empty() ? at + 1 : ends[at]; }
};

[[noreturn]] void fail(const std::string &message) {
    std::fprintf(stderr, "sellers: %s\n", message.c_str());
    std::exit(2);
}

std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) fail(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

// ---- symbols

// Decodes one character. A byte that does not start a well-formed UTF-8 sequence is a symbol of its own, above all characters.
uint32_t next_character(const std::string &text, size_t &at) {
    const Byte first = text[at];
    const int continuation_bytes = first < 0x80 ? 0 : first >= 0xC2 && first < 0xE0 ? 1 : (first & 0xF0) == 0xE0 ? 2
                                    : first >= 0xF0 && first < 0xF5   ? 3 : -1;
    const uint32_t invalid_byte = 0x200000 + first;
    if (continuation_bytes < 0 || at + continuation_bytes >= text.size()) return ++at, invalid_byte;
    uint32_t value = continuation_bytes == 0 ? first : first & (0x3F >> continuation_bytes);
    for (int i = 1; i <= continuation_bytes; i++) {
        const Byte next = text[at + i];
        if ((next & 0xC0) != 0x80) return ++at, invalid_byte;
        value = value << 6 | (next & 0x3F);
    }
    const bool overlong = (continuation_bytes == 2 && value < 0x800) || (continuation_bytes == 3 && value < 0x10000);
    if (overlong || (value >= 0xD800 && value < 0xE000) || value > 0x10FFFF) return ++at, invalid_byte;
    at += continuation_bytes + 1;
    return value;
}

uint32_t next_symbol(const Options &options, const std::string &text, size_t &at) {
    const uint32_t symbol =
        options.alphabet == Options::Alphabet::Bytes ? Byte(text[at++]) : next_character(text, at);
    return options.ignore_case && symbol >= 'A' && symbol <= 'Z' ? symbol + 32 : symbol;
}

// Returns the bases of an IUPAC code as a bit set: A is 1, C is 2, G is 4, T is 8.
Byte bases(char code) {
    static const std::map<char, Byte> sets = {{'A', 1}, {'C', 2},  {'G', 4},  {'T', 8},  {'U', 8},  {'R', 5},
                                              {'Y', 10}, {'S', 6}, {'W', 9},  {'K', 12}, {'M', 3},  {'B', 14},
                                              {'D', 13}, {'H', 11}, {'V', 7}, {'N', 15}};
    const auto found = sets.find(static_cast<char>(std::toupper(static_cast<Byte>(code))));
    return found == sets.end() ? NO_BASE : found->second;
}

Byte complement(Byte set) {
    return Byte((set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | (set & 8) >> 3);
}

// ---- patterns

std::vector<Symbol> parse_pattern(const Options &options, const std::string &source) {
    std::vector<Symbol> symbols;
    bool in_group = false;
    for (size_t at = 0; at < source.size();) {
        const char c = source[at];
        if (options.groups && (c == '<' || c == '>')) {
            if (c == '>') symbols.back().no_insertion_after = false;
            in_group = c == '<', at++;
            continue;
        }
        Symbol symbol;
        symbol.exact = symbol.no_insertion_after = in_group;
        if (options.classes && c == '[') {
            for (at++; source[at] != ']';) symbol.members.push_back(next_symbol(options, source, at));
            at++;
        } else if (options.classes && c == '.') {
            symbol.any = true, at++;
        } else {
            symbol.members.push_back(next_symbol(options, source, at));
        }
        symbols.push_back(symbol);
    }
    return symbols;
}

// Sets the code of each symbol of a DNA pattern (its set of bases), and the text codes that it matches. A text code is a set
// of bases too, and matches if it is a subset.
void encode_dna(Pattern &pattern) {
    for (Symbol &symbol : pattern.symbols) {
        symbol.code = bases(static_cast<char>(symbol.members[0]));
        for (int text = 1; text < 16; text++) symbol.matches[text] = (text & ~symbol.code) == 0;
    }
}

Pattern reverse_complement(const Pattern &pattern) {
    Pattern reverse = pattern;
    reverse.strand = '-';
    std::reverse(reverse.symbols.begin(), reverse.symbols.end());
    const size_t last = reverse.symbols.size() - 1;
    for (size_t i = 0; i <= last; i++) {
        Symbol &symbol = reverse.symbols[i];
        symbol.code = complement(symbol.code);
        for (int text = 0; text < 16; text++) symbol.matches[text] = text > 0 && (text & ~symbol.code) == 0;
        symbol.no_insertion_after = i < last && pattern.symbols[last - 1 - i].no_insertion_after;
    }
    return reverse;
}

std::vector<Pattern> read_patterns(const Options &options, std::map<uint32_t, Byte> &codes) {
    std::vector<Pattern> patterns;
    std::ifstream file(options.patterns);
    for (std::string line; std::getline(file, line);) {
        const size_t first_tab = line.find('\t'), last_tab = line.rfind('\t');
        Pattern pattern{line.substr(0, first_tab), std::atoi(line.c_str() + last_tab + 1), '+',
                        parse_pattern(options, line.substr(first_tab + 1, last_tab - first_tab - 1))};
        if (options.alphabet == Options::Alphabet::Dna) {
            encode_dna(pattern);
            patterns.push_back(pattern);
            if (options.strands == Options::Strands::Both) patterns.push_back(reverse_complement(pattern));
            continue;
        }
        for (Symbol &symbol : pattern.symbols) {
            for (uint32_t member : symbol.members) {
                symbol.code = codes.emplace(member, Byte(codes.size() + 1)).first->second;
                symbol.matches[symbol.code] = true;
            }
            for (int code = 0; symbol.any && code < BREAK; code++) symbol.matches[code] = true;
        }
        patterns.push_back(pattern);
    }
    if (codes.size() > 250) fail("the patterns have more than 250 different symbols");
    return patterns;
}

// ---- text

Text read_lines(const Options &options, const std::map<uint32_t, Byte> &codes) {
    const std::string bytes = read_file(options.text);
    Text text;
    text.codes.reserve(bytes.size());
    Byte ascii_codes[128] = {};
    for (int c = 0; c < 128; c++) {
        const std::string character(1, static_cast<char>(c));
        size_t at = 0;
        const auto code = codes.find(next_symbol(options, character, at));
        ascii_codes[c] = c == '\n' ? BREAK : code == codes.end() ? 0 : code->second;
    }
    const bool is_ascii = std::all_of(bytes.begin(), bytes.end(), [](char c) { return Byte(c) < 128; });
    for (size_t at = 0; at < bytes.size();) {
        const Byte byte = bytes[at];
        if (byte < 128) {
            text.codes.push_back(ascii_codes[byte]), at++;
        } else {
            const auto code = codes.find(next_symbol(options, bytes, at));
            text.codes.push_back(code == codes.end() ? 0 : code->second);
        }
        if (!is_ascii) text.ends.push_back(at);
        if (options.edges == Options::Edges::Word) text.is_word.push_back(std::isalnum(byte) || byte == '_');
    }
    return text;
}

Text read_fasta(const Options &options) {
    Text text;
    std::ifstream file(options.text);
    for (std::string line; std::getline(file, line);) {
        if (!line.empty() && line[0] == '>') {
            if (!text.records.empty()) text.codes.push_back(BREAK);
            text.records.push_back({line.substr(1, line.find(' ') - 1), "", text.codes.size()});
            continue;
        }
        text.records.back().residues += line;
        for (char c : line) text.codes.push_back(bases(c));
    }
    text.codes.push_back(BREAK);
    return text;
}

// ---- the recurrence

// The distances at the ends in a range of the text, a row for each pattern. A distance above k is FAR.
struct Distances {
    size_t begin = 0, end = 0;
    std::vector<std::vector<uint16_t>> rows;
};

// Computes the recurrence column by column for 64 strips of the text at once, so that the compiler can use SIMD. A strip starts
// `warm_up` symbols early. `warm_up` is at least m + k, the maximum length of a match. A `Cell` can hold m + 1.
template <typename Cell> class Strips {
    static constexpr int WIDTH = 64;
    // One cell for each strip.
    typedef Cell CellVector __attribute__((vector_size(WIDTH * sizeof(Cell))));
    // std::vector<CellVector> would lose the attribute, so a struct carries it.
    struct Column {
        CellVector lanes;
    };

  public:
    Strips(const Text &text, size_t begin, size_t end, size_t warm_up)
        : begin_(begin), end_(end), warm_up_(warm_up), length_((end - begin + WIDTH - 1) / WIDTH) {
        columns_.resize(warm_up_ + length_);
        for (size_t column = 0; column < columns_.size(); column++) {
            for (int lane = 0; lane < WIDTH; lane++) {
                const size_t at = begin_ + lane * length_ + column;
                columns_[column].lanes[lane] = at < warm_up_ || at - warm_up_ >= end_ ? BREAK : text.codes[at - warm_up_];
            }
        }
    }

    template <bool SETS> void run(const Pattern &pattern, std::vector<uint16_t> &row) const {
        const int m = pattern.length();
        std::vector<Column> matrix(m + 1), symbols(m + 1);
        for (int i = 1; i <= m; i++) {
            const Byte code = pattern.symbols[i - 1].code;
            symbols[i].lanes = CellVector{} + Cell(SETS ? Byte(~code) : code);
            matrix[i].lanes = CellVector{} + Cell(i);
        }
        row.assign(end_ - begin_, FAR);
        for (size_t column = 0; column < columns_.size(); column++) {
            const CellVector text = columns_[column].lanes;
            const CellVector is_break = (CellVector)(text == Cell(BREAK));
            CellVector diagonal{}, above{};
            for (int i = 1; i <= m; i++) {
                // A comparison is -1 in each lane where it is true, otherwise 0.
                const CellVector differs = SETS ? (CellVector)((text & symbols[i].lanes) != 0)
                                                : (CellVector)(text != symbols[i].lanes);
                const CellVector left = matrix[i].lanes;
                const CellVector inserted_or_deleted = (left < above ? left : above) + 1;
                const CellVector substituted = diagonal - differs;
                const CellVector value = is_break                            ? CellVector{} + Cell(i)
                                         : substituted < inserted_or_deleted ? substituted
                                                                             : inserted_or_deleted;
                diagonal = left;
                above = value;
                matrix[i].lanes = value;
            }
            if (column >= warm_up_) store(column - warm_up_, above, is_break, Cell(pattern.k), row);
        }
    }

  private:
    // Stores the distances of the last row that are at most k.
    void store(size_t column, CellVector last, CellVector is_break, Cell k, std::vector<uint16_t> &row) const {
        for (int lane = 0; lane < WIDTH; lane++) {
            const size_t at = lane * length_ + column;
            if (at < row.size() && !is_break[lane] && last[lane] <= k) row[at] = last[lane];
        }
    }

    size_t begin_, end_, warm_up_, length_;
    std::vector<Column> columns_;
};

// Computes the recurrence with constraints. A cell holds the smallest cost for each number of insertions, deletions and
// substitutions of the limited kinds. Also handles -w and -x, exact groups, and transpositions (optimal string alignment).
class ConstrainedRecurrence {
  public:
    ConstrainedRecurrence(const Options &options, const Text &text, const Pattern &pattern)
        : options_(options), text_(text), pattern_(pattern), ins_size_(dimension(options.max_ins)),
          del_size_(dimension(options.max_del)), sub_size_(dimension(options.max_sub)) {}

    std::vector<uint16_t> run() {
        const int m = pattern_.length(), size = ins_size_ * del_size_ * sub_size_;
        std::vector<int> current((m + 1) * size), previous(current.size()), before_previous(current.size());
        std::vector<uint16_t> row(text_.codes.size(), FAR);
        first_column(current, 0);
        before_previous.assign(current.size(), FAR);
        for (size_t at = 0; at < text_.codes.size(); at++) {
            if (text_.codes[at] == BREAK) {
                first_column(current, at + 1);
                before_previous.assign(current.size(), FAR);
                previous = before_previous;
                continue;
            }
            std::swap(before_previous, previous), std::swap(previous, current);
            column(current, previous, before_previous, at);
            const int *cell = &current[m * size];
            const int cost = *std::min_element(cell, cell + size);
            if (cost <= pattern_.k && may_end(at + 1)) row[at] = static_cast<uint16_t>(cost);
        }
        return row;
    }

  private:
    enum class Edit { Insertion, Deletion, Substitution };

    // Size of the cell's dimension for a kind of edit.
    static int dimension(int limit) { return limit == UNLIMITED ? 1 : limit + 1; }

    // Returns whether a match may start before symbol `at`.
    bool may_start(size_t at) const {
        const bool first = at == 0 || text_.codes[at - 1] == BREAK;
        switch (options_.edges) {
        case Options::Edges::None: return true;
        case Options::Edges::Line: return first;
        case Options::Edges::Word: return first || !text_.is_word[at - 1];
        }
        return false;
    }

    // Returns whether a match may end before symbol `at`.
    bool may_end(size_t at) const {
        const bool last = at == text_.codes.size() || text_.codes[at] == BREAK;
        switch (options_.edges) {
        case Options::Edges::None: return true;
        case Options::Edges::Line: return last;
        case Options::Edges::Word: return last || !text_.is_word[at];
        }
        return false;
    }

    // Calls `step` for all numbers of insertions, deletions and substitutions, and their index in a cell.
    template <typename Step> void each_count(Step step) const {
        for (int ins = 0; ins < ins_size_; ins++)
            for (int del = 0; del < del_size_; del++)
                for (int sub = 0; sub < sub_size_; sub++) step(ins, del, sub, (ins * del_size_ + del) * sub_size_ + sub);
    }

    // Returns the cost before an edit that leads to these numbers of edits; FAR if its kind of edit is not allowed.
    int cost_before(Edit edit, const int *cell, int ins, int del, int sub) const {
        if (edit == Edit::Insertion && ins_size_ > 1 && --ins < 0) return FAR;
        if (edit == Edit::Deletion && del_size_ > 1 && --del < 0) return FAR;
        if (edit == Edit::Substitution && sub_size_ > 1 && --sub < 0) return FAR;
        const bool forbidden = (edit == Edit::Insertion && options_.max_ins == 0) ||
                               (edit == Edit::Deletion && options_.max_del == 0) ||
                               (edit == Edit::Substitution && options_.max_sub == 0);
        return forbidden ? FAR : cell[(ins * del_size_ + del) * sub_size_ + sub];
    }

    void first_column(std::vector<int> &current, size_t at) const { fill(current, nullptr, nullptr, at, false); }

    void column(std::vector<int> &current, const std::vector<int> &previous, const std::vector<int> &before_previous,
                size_t at) const {
        fill(current, &previous, &before_previous, at + 1, true);
    }

    // Computes the column before symbol `at`. `previous` and `before_previous` are the columns one and two symbols earlier.
    void fill(std::vector<int> &current, const std::vector<int> *previous, const std::vector<int> *before_previous, size_t at,
              bool has_symbol) const {
        const int size = ins_size_ * del_size_ * sub_size_;
        for (int i = 0; i <= pattern_.length(); i++) {
            each_count([&](int ins, int del, int sub, int index) {
                int smallest = FAR;
                const auto take = [&](int cost) { smallest = std::min(smallest, cost); };
                if (i == 0) {
                    take(ins + del + sub == 0 && may_start(at) ? 0 : FAR);
                    // A match that must not start here may start earlier, with insertions before the pattern.
                    if (has_symbol) take(cost_before(Edit::Insertion, &(*previous)[0], ins, del, sub) + options_.ins_cost);
                } else {
                    const Symbol &symbol = pattern_.symbols[i - 1];
                    if (!symbol.exact) take(cost_before(Edit::Deletion, &current[(i - 1) * size], ins, del, sub) + options_.del_cost);
                    if (has_symbol) {
                        const Byte code = text_.codes[at - 1];
                        const int *diagonal = &(*previous)[(i - 1) * size];
                        if (symbol.matches[code]) take(diagonal[index]);
                        if (!symbol.exact) take(cost_before(Edit::Substitution, diagonal, ins, del, sub) + options_.sub_cost);
                        if (!symbol.no_insertion_after)
                            take(cost_before(Edit::Insertion, &(*previous)[i * size], ins, del, sub) + options_.ins_cost);
                        if (options_.transpositions && i > 1 && is_transposed(i, at))
                            take((*before_previous)[(i - 2) * size + index] + 1);
                    }
                }
                current[i * size + index] = std::min(smallest, FAR);
            });
        }
    }

    // Returns whether pattern symbols i - 1 and i match the two text symbols before `at` in reverse order.
    bool is_transposed(int i, size_t at) const {
        return at > 1 && text_.codes[at - 2] != BREAK && pattern_.symbols[i - 1].matches[text_.codes[at - 2]] &&
               pattern_.symbols[i - 2].matches[text_.codes[at - 1]];
    }

    const Options &options_;
    const Text &text_;
    const Pattern &pattern_;
    int ins_size_, del_size_, sub_size_;
};

// ---- rows

// Reads nigh's rows from standard input and compares each with the expected hit.
class Rows {
  public:
    explicit Rows(const Options &options) : options_(options), buffer_(1 << 20) {}

    uint64_t hits() const { return hits_; }

    // Reads the next row, without its line feed. Returns false at the end of the input.
    bool next(const char *&row, size_t &length) {
        for (;;) {
            const char *from = buffer_.data() + at_;
            if (const void *feed = std::memchr(from, '\n', filled_ - at_)) {
                row = from;
                length = static_cast<const char *>(feed) - from;
                at_ += length + 1;
                return true;
            }
            std::memmove(buffer_.data(), from, filled_ - at_);
            filled_ -= at_, at_ = 0;
            if (filled_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
            const size_t count = std::fread(buffer_.data() + filled_, 1, buffer_.size() - filled_, stdin);
            if (count == 0) return false;
            filled_ += count;
        }
    }

    // Compares the next row with a hit in lines.
    void expect_end(uint64_t end, int distance, const Pattern &pattern) {
        char expected[600];
        char *to = expected;
        const auto put = [&](const std::string &part) { to = std::copy(part.begin(), part.end(), to); };
        put(options_.file), *to++ = '\t';
        to = std::to_chars(to, to + 20, end).ptr, *to++ = '\t';
        to = std::to_chars(to, to + 20, distance).ptr, *to++ = '\t';
        put(pattern.name);
        const char *row = "";
        size_t length = 0;
        const bool found = next(row, length);
        if (!found || length != size_t(to - expected) || std::memcmp(row, expected, length) != 0)
            fail_difference({expected, to}, found ? std::string(row, length) : "end of output");
        hits_++;
    }

    // Compares the next row with a hit in a sequence, and replays its alignment.
    void expect_alignment(const Record &record, size_t end, int distance, const Pattern &pattern) {
        const char *row = "";
        size_t length = 0;
        const bool found = next(row, length);
        const std::string actual = found ? std::string(row, length) : "end of output";
        std::vector<std::string> fields(1);
        for (char c : actual) {
            if (c == '\t') fields.emplace_back();
            else fields.back() += c;
        }
        const std::string tail = std::to_string(end) + "\t" + pattern.name + "\t" + std::to_string(distance) + "\t" + pattern.strand;
        const bool same = fields.size() == 8 && fields[0] == record.name &&
                          fields[2] + "\t" + fields[3] + "\t" + fields[4] + "\t" + fields[5] == tail;
        if (!same || !is_valid_alignment(record, end, distance, pattern, fields))
            fail_difference(record.name + "\t?\t" + tail + "\t(a valid CIGAR)\t(the text)", actual);
        hits_++;
    }

    void expect_no_more() {
        const char *row = "";
        size_t length = 0;
        if (next(row, length)) fail_difference("end of output", {row, length});
    }

  private:
    // Returns whether the CIGAR aligns the pattern with the text from start to end, with as many edits as the distance.
    bool is_valid_alignment(const Record &record, size_t end, int distance, const Pattern &pattern,
                 const std::vector<std::string> &fields) const {
        const std::string &cigar = fields[6];
        const size_t start = std::strtoull(fields[1].c_str(), nullptr, 10);
        if (start > end || record.residues.compare(start, end - start, fields[7]) != 0) return false;
        size_t at = start, edits = 0;
        int i = 0;
        for (size_t next = 0; next < cigar.size(); next++) {
            int count = 0;
            while (next < cigar.size() && std::isdigit(Byte(cigar[next]))) count = 10 * count + (cigar[next++] - '0');
            for (; count > 0; count--) {
                const char op = next < cigar.size() ? cigar[next] : '?';
                const bool takes_text = op != 'I', takes_pattern = op != 'D';
                if ((takes_text && at >= end) || (takes_pattern && i >= pattern.length())) return false;
                if (op == '=' || op == 'X') {
                    const bool equal = pattern.symbols[i].matches[bases(record.residues[at])];
                    if (equal != (op == '=')) return false;
                } else if (op != 'I' && op != 'D') {
                    return false;
                }
                if (op != '=' && takes_pattern && pattern.symbols[i].exact) return false;
                at += takes_text, i += takes_pattern, edits += op != '=';
            }
        }
        return at == end && i == pattern.length() && edits == size_t(distance);
    }

    [[noreturn]] void fail_difference(const std::string &expected, const std::string &actual) const {
        std::printf("after %llu equal hits\nexpected %s\nactual   %s\n", static_cast<unsigned long long>(hits_),
                    expected.c_str(), actual.c_str());
        std::fflush(stdout);
        std::_Exit(1);
    }

    const Options &options_;
    std::vector<char> buffer_;
    size_t at_ = 0, filled_ = 0;
    uint64_t hits_ = 0;
};

// Compares a row for every distance of at most k, in order of the end, then of the pattern.
void compare(const Text &text, const std::vector<Pattern> &patterns, const Distances &distances, size_t &record, Rows &rows) {
    for (size_t at = distances.begin; at < distances.end; at++) {
        while (record + 1 < text.records.size() && at >= text.records[record + 1].first) record++;
        for (size_t index = 0; index < patterns.size(); index++) {
            const int distance = distances.rows[index][at - distances.begin];
            if (distance > patterns[index].k) continue;
            if (text.records.empty()) {
                rows.expect_end(text.end(at), distance, patterns[index]);
            } else {
                const Record &current = text.records[record];
                rows.expect_alignment(current, at + 1 - current.first, distance, patterns[index]);
            }
        }
    }
}

template <typename Cell>
void compare_in_strips(const Options &options, const Text &text, const std::vector<Pattern> &patterns, Rows &rows) {
    size_t warm_up = 0, record = 0;
    for (const Pattern &pattern : patterns) warm_up = std::max(warm_up, size_t(pattern.length() + pattern.k));
    const size_t step = 64 * std::max(size_t(4096), 8 * warm_up);
    Distances distances;
    distances.rows.resize(patterns.size());
    for (size_t begin = 0; begin < text.codes.size(); begin += step) {
        distances.begin = begin;
        distances.end = std::min(begin + step, text.codes.size());
        const Strips<Cell> strips(text, begin, distances.end, warm_up);
        for (size_t index = 0; index < patterns.size(); index++) {
            if (options.alphabet == Options::Alphabet::Dna) strips.template run<true>(patterns[index], distances.rows[index]);
            else strips.template run<false>(patterns[index], distances.rows[index]);
        }
        compare(text, patterns, distances, record, rows);
    }
}

void compare_with_constraints(const Options &options, const Text &text, const std::vector<Pattern> &patterns, Rows &rows) {
    size_t record = 0;
    Distances distances{0, text.codes.size(), {}};
    for (const Pattern &pattern : patterns) distances.rows.push_back(ConstrainedRecurrence(options, text, pattern).run());
    compare(text, patterns, distances, record, rows);
}

Options parse_options(int count, char **arguments) {
    Options options;
    std::vector<std::string> names;
    for (int i = 1; i < count; i++) {
        const std::string word = arguments[i];
        const auto number = [&] { return ++i < count ? std::atoi(arguments[i]) : 0; };
        if (word == "--dna") options.alphabet = Options::Alphabet::Dna;
        else if (word == "--bytes") options.alphabet = Options::Alphabet::Bytes;
        else if (word == "--forward") options.strands = Options::Strands::Forward;
        else if (word == "--words") options.edges = Options::Edges::Word;
        else if (word == "--lines") options.edges = Options::Edges::Line;
        else if (word == "--ignore-case") options.ignore_case = true;
        else if (word == "--classes") options.classes = true;
        else if (word == "--groups") options.groups = true;
        else if (word == "--transpositions") options.transpositions = true;
        else if (word == "--max-ins") options.max_ins = number();
        else if (word == "--max-del") options.max_del = number();
        else if (word == "--max-sub") options.max_sub = number();
        else if (word == "--ins-cost") options.ins_cost = number();
        else if (word == "--del-cost") options.del_cost = number();
        else if (word == "--sub-cost") options.sub_cost = number();
        else if (word[0] == '-') fail(word + ": unknown option");
        else names.push_back(word);
    }
    if (names.size() != 2) fail("usage: sellers [OPTIONS] PATTERNS TEXT");
    options.patterns = names[0];
    options.text = options.file = names[1];
    return options;
}

int main(int count, char **arguments) {
    const Options options = parse_options(count, arguments);
    std::map<uint32_t, Byte> codes;
    const std::vector<Pattern> patterns = read_patterns(options, codes);
    const Text text = options.alphabet == Options::Alphabet::Dna ? read_fasta(options) : read_lines(options, codes);
    int longest = 0;
    for (const Pattern &pattern : patterns) longest = std::max(longest, pattern.length());
    Rows rows(options);
    if (options.has_constraints()) compare_with_constraints(options, text, patterns, rows);
    else if (longest < 250) compare_in_strips<uint8_t>(options, text, patterns, rows);
    else compare_in_strips<uint16_t>(options, text, patterns, rows);
    rows.expect_no_more();
    std::printf("%llu\n", static_cast<unsigned long long>(rows.hits()));
}

// Compares the rows of nigh with Sellers' recurrence, computed cell by cell.
//
// Sellers (1980): D[i][j] is the least distance between the first i symbols of the pattern and any piece of the text
// that ends at j. D[0][j] = 0, and D[i][j] = min(D[i-1][j-1] + (differ ? 1 : 0), D[i-1][j] + 1, D[i][j-1] + 1).
// Complexity O(mn). No bit-parallel step, no filter and no cut-off is used, and nothing is shared with nigh's sources.
//
// usage: nigh ... | sellers [OPTIONS] PATTERNS TEXT
//
// PATTERNS has lines of name<TAB>pattern<TAB>k. Rows of text must be those of `nigh --ends`, in order. Rows of sequences
// must be nigh's table; the CIGAR of every row is replayed over the text. The last line of output is the number of hits;
// the exit status is 1 and both rows are printed if one differs.

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

// The code that ends a line or a record.
constexpr Byte BREAK = 255;
constexpr Byte NO_BASE = 16;
constexpr int UNLIMITED = 1000;
constexpr int FAR = 30000;

struct Options {
    enum class Alphabet { Text, Bytes, Dna } alphabet = Alphabet::Text;
    enum class Edges { None, Word, Line } edges = Edges::None;
    enum class Strands { Both, Forward } strands = Strands::Both;
    bool ignore_case = false, classes = false, groups = false, transpositions = false;
    int max_ins = UNLIMITED, max_del = UNLIMITED, max_sub = UNLIMITED;
    int ins_cost = 1, del_cost = 1, sub_cost = 1;
    std::string file = "t", patterns, text;

    // Whether the plain recurrence is not enough.
    bool has_rules() const {
        return edges != Edges::None || classes || groups || transpositions || ins_cost + del_cost + sub_cost != 3 ||
               max_ins + max_del + max_sub != 3 * UNLIMITED;
    }
};

// One symbol of a pattern: the codes it matches, and what may not happen to it.
struct Symbol {
    std::vector<uint32_t> members;
    bool any = false;
    bool exact = false;
    // Nothing may be inserted behind it.
    bool tied = false;
    Byte code = 0;
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

// The text as codes. `ends` holds byte offsets just past each symbol, and is empty where that is its index plus one.
struct Text {
    std::vector<Byte> codes;
    std::vector<uint64_t> ends;
    std::vector<bool> word;
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

// Decodes one character. A byte that begins no well-formed sequence is a symbol of its own, above all characters.
uint32_t next_character(const std::string &text, size_t &at) {
    const Byte first = text[at];
    const int more = first < 0x80 ? 0 : first >= 0xC2 && first < 0xE0 ? 1 : (first & 0xF0) == 0xE0 ? 2
                                    : first >= 0xF0 && first < 0xF5   ? 3 : -1;
    const uint32_t lone = 0x200000 + first;
    if (more < 0 || at + more >= text.size()) return ++at, lone;
    uint32_t value = more == 0 ? first : first & (0x3F >> more);
    for (int i = 1; i <= more; i++) {
        const Byte next = text[at + i];
        if ((next & 0xC0) != 0x80) return ++at, lone;
        value = value << 6 | (next & 0x3F);
    }
    const bool overlong = (more == 2 && value < 0x800) || (more == 3 && value < 0x10000);
    if (overlong || (value >= 0xD800 && value < 0xE000) || value > 0x10FFFF) return ++at, lone;
    at += more + 1;
    return value;
}

uint32_t next_symbol(const Options &options, const std::string &text, size_t &at) {
    const uint32_t symbol =
        options.alphabet == Options::Alphabet::Bytes ? Byte(text[at++]) : next_character(text, at);
    return options.ignore_case && symbol >= 'A' && symbol <= 'Z' ? symbol + 32 : symbol;
}

// The bases that an IUPAC code stands for, as bits: A 1, C 2, G 4, T 8.
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
    bool inside = false;
    for (size_t at = 0; at < source.size();) {
        const char c = source[at];
        if (options.groups && (c == '<' || c == '>')) {
            if (c == '>') symbols.back().tied = false;
            inside = c == '<', at++;
            continue;
        }
        Symbol symbol;
        symbol.exact = symbol.tied = inside;
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

// Gives each base set of a DNA pattern its code, and what it matches: text codes are sets, too.
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
        symbol.tied = i < last && pattern.symbols[last - 1 - i].tied;
    }
    return reverse;
}

std::vector<Pattern> read_patterns(const Options &options, std::map<uint32_t, Byte> &codes) {
    std::vector<Pattern> patterns;
    std::ifstream file(options.patterns);
    for (std::string line; std::getline(file, line);) {
        const size_t one = line.find('\t'), two = line.rfind('\t');
        Pattern pattern{line.substr(0, one), std::atoi(line.c_str() + two + 1), '+',
                        parse_pattern(options, line.substr(one + 1, two - one - 1))};
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
    if (codes.size() > 250) fail("the patterns have more than 250 symbols");
    return patterns;
}

// ---- text

Text read_lines(const Options &options, const std::map<uint32_t, Byte> &codes) {
    const std::string bytes = read_file(options.text);
    Text text;
    text.codes.reserve(bytes.size());
    Byte of_ascii[128] = {};
    for (int c = 0; c < 128; c++) {
        const std::string one(1, static_cast<char>(c));
        size_t at = 0;
        const auto code = codes.find(next_symbol(options, one, at));
        of_ascii[c] = c == '\n' ? BREAK : code == codes.end() ? 0 : code->second;
    }
    const bool ascii = std::all_of(bytes.begin(), bytes.end(), [](char c) { return Byte(c) < 128; });
    for (size_t at = 0; at < bytes.size();) {
        const Byte byte = bytes[at];
        if (byte < 128) {
            text.codes.push_back(of_ascii[byte]), at++;
        } else {
            const auto code = codes.find(next_symbol(options, bytes, at));
            text.codes.push_back(code == codes.end() ? 0 : code->second);
        }
        if (!ascii) text.ends.push_back(at);
        if (options.edges == Options::Edges::Word) text.word.push_back(std::isalnum(byte) || byte == '_');
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

// The distances at a range of the text: one row for each pattern, FAR or 255 where it is more than k.
struct Distances {
    size_t begin = 0, end = 0;
    std::vector<std::vector<uint16_t>> rows;
};

// The recurrence over one column at a time, for 64 strips of text side by side, so that a compiler can use vectors.
// A strip begins `warm_up` symbols early, at least m + k: no match within k is longer. `Cell` holds at least m + 1.
template <typename Cell> class Strips {
    static constexpr int WIDTH = 64;
    typedef Cell Lanes __attribute__((vector_size(WIDTH * sizeof(Cell))));
    // A template's argument would lose the attribute.
    struct Column {
        Lanes lanes;
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
            symbols[i].lanes = Lanes{} + Cell(SETS ? Byte(~code) : code);
            matrix[i].lanes = Lanes{} + Cell(i);
        }
        row.assign(end_ - begin_, FAR);
        for (size_t column = 0; column < columns_.size(); column++) {
            const Lanes text = columns_[column].lanes;
            const Lanes is_break = (Lanes)(text == Cell(BREAK));
            Lanes diagonal{}, above{};
            for (int i = 1; i <= m; i++) {
                // A comparison is -1 in the lanes where it holds.
                const Lanes differs = SETS ? (Lanes)((text & symbols[i].lanes) != 0) : (Lanes)(text != symbols[i].lanes);
                const Lanes left = matrix[i].lanes;
                const Lanes least = (left < above ? left : above) + 1;
                const Lanes replaced = diagonal - differs;
                const Lanes value = is_break ? Lanes{} + Cell(i) : replaced < least ? replaced : least;
                diagonal = left;
                above = value;
                matrix[i].lanes = value;
            }
            if (column >= warm_up_) store(column - warm_up_, above, is_break, Cell(pattern.k), row);
        }
    }

  private:
    void store(size_t column, Lanes last, Lanes is_break, Cell k, std::vector<uint16_t> &row) const {
        for (int lane = 0; lane < WIDTH; lane++) {
            const size_t at = lane * length_ + column;
            if (at < row.size() && !is_break[lane] && last[lane] <= k) row[at] = last[lane];
        }
    }

    size_t begin_, end_, warm_up_, length_;
    std::vector<Column> columns_;
};

// The recurrence with rules: a cell holds the least cost for each number of insertions, deletions and substitutions
// used so far, of those kinds that are limited. Also edges, and optimal string alignment for transpositions.
class Rules {
  public:
    Rules(const Options &options, const Text &text, const Pattern &pattern)
        : options_(options), text_(text), pattern_(pattern), ins_(dimension(options.max_ins)),
          del_(dimension(options.max_del)), sub_(dimension(options.max_sub)) {}

    std::vector<uint16_t> run() {
        const int m = pattern_.length(), size = ins_ * del_ * sub_;
        std::vector<int> now((m + 1) * size), last(now.size()), before(now.size());
        std::vector<uint16_t> row(text_.codes.size(), FAR);
        first_column(now, 0);
        before.assign(now.size(), FAR);
        for (size_t at = 0; at < text_.codes.size(); at++) {
            if (text_.codes[at] == BREAK) {
                first_column(now, at + 1);
                before.assign(now.size(), FAR);
                last = before;
                continue;
            }
            std::swap(before, last), std::swap(last, now);
            column(now, last, before, at);
            const int *cell = &now[m * size];
            const int least = *std::min_element(cell, cell + size);
            if (least <= pattern_.k && may_end(at + 1)) row[at] = static_cast<uint16_t>(least);
        }
        return row;
    }

  private:
    static int dimension(int limit) { return limit == UNLIMITED ? 1 : limit + 1; }

    // Whether a match may start at a symbol.
    bool may_start(size_t at) const {
        const bool first = at == 0 || text_.codes[at - 1] == BREAK;
        switch (options_.edges) {
        case Options::Edges::None: return true;
        case Options::Edges::Line: return first;
        case Options::Edges::Word: return first || !text_.word[at - 1];
        }
        return false;
    }

    bool may_end(size_t at) const {
        const bool last = at == text_.codes.size() || text_.codes[at] == BREAK;
        switch (options_.edges) {
        case Options::Edges::None: return true;
        case Options::Edges::Line: return last;
        case Options::Edges::Word: return last || !text_.word[at];
        }
        return false;
    }

    template <typename Step> void each_count(Step step) const {
        for (int a = 0; a < ins_; a++)
            for (int b = 0; b < del_; b++)
                for (int c = 0; c < sub_; c++) step(a, b, c, (a * del_ + b) * sub_ + c);
    }

    // The value of a cell before an edit of a kind; FAR if its limit is used up.
    int used(const int *cell, int a, int b, int c, int kind) const {
        if (kind == 0 && ins_ > 1 && --a < 0) return FAR;
        if (kind == 1 && del_ > 1 && --b < 0) return FAR;
        if (kind == 2 && sub_ > 1 && --c < 0) return FAR;
        const bool forbidden = (kind == 0 && options_.max_ins == 0) || (kind == 1 && options_.max_del == 0) ||
                               (kind == 2 && options_.max_sub == 0);
        return forbidden ? FAR : cell[(a * del_ + b) * sub_ + c];
    }

    void first_column(std::vector<int> &now, size_t at) const { fill(now, nullptr, nullptr, at, false); }

    void column(std::vector<int> &now, const std::vector<int> &last, const std::vector<int> &before, size_t at) const {
        fill(now, &last, &before, at + 1, true);
    }

    // Computes the column at boundary `at`; `last` and `before` are the columns one and two symbols earlier.
    void fill(std::vector<int> &now, const std::vector<int> *last, const std::vector<int> *before, size_t at,
              bool has_symbol) const {
        const int size = ins_ * del_ * sub_;
        for (int i = 0; i <= pattern_.length(); i++) {
            each_count([&](int a, int b, int c, int index) {
                int least = FAR;
                const auto take = [&](int cost) { least = std::min(least, cost); };
                if (i == 0) {
                    take(a + b + c == 0 && may_start(at) ? 0 : FAR);
                    // A match that may not start here may start earlier, with insertions before the pattern.
                    if (has_symbol) take(used(&(*last)[0], a, b, c, 0) + options_.ins_cost);
                } else {
                    const Symbol &symbol = pattern_.symbols[i - 1];
                    if (!symbol.exact) take(used(&now[(i - 1) * size], a, b, c, 1) + options_.del_cost);
                    if (has_symbol) {
                        const Byte code = text_.codes[at - 1];
                        const int *diagonal = &(*last)[(i - 1) * size];
                        if (symbol.matches[code]) take(diagonal[index]);
                        if (!symbol.exact) take(used(diagonal, a, b, c, 2) + options_.sub_cost);
                        if (!symbol.tied) take(used(&(*last)[i * size], a, b, c, 0) + options_.ins_cost);
                        if (options_.transpositions && i > 1 && swapped(i, at)) take((*before)[(i - 2) * size + index] + 1);
                    }
                }
                now[i * size + index] = std::min(least, FAR);
            });
        }
    }

    bool swapped(int i, size_t at) const {
        return at > 1 && text_.codes[at - 2] != BREAK && pattern_.symbols[i - 1].matches[text_.codes[at - 2]] &&
               pattern_.symbols[i - 2].matches[text_.codes[at - 1]];
    }

    const Options &options_;
    const Text &text_;
    const Pattern &pattern_;
    int ins_, del_, sub_;
};

// ---- rows

class Rows {
  public:
    explicit Rows(const Options &options) : options_(options), buffer_(1 << 20) {}

    uint64_t hits() const { return hits_; }

    // The next row, without its line feed; false at the end.
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

    // Expects the row of a hit in lines.
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
            differ({expected, to}, found ? std::string(row, length) : "end of output");
        hits_++;
    }

    // Expects the row of a hit in a sequence, and replays its alignment.
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
        if (!same || !replays(record, end, distance, pattern, fields))
            differ(record.name + "\t?\t" + tail + "\ta CIGAR that fits\tthe text", actual);
        hits_++;
    }

    void expect_no_more() {
        const char *row = "";
        size_t length = 0;
        if (next(row, length)) differ("end of output", {row, length});
    }

  private:
    // Whether the CIGAR leads over the text from start to end with as many edits as the distance.
    bool replays(const Record &record, size_t end, int distance, const Pattern &pattern,
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

    [[noreturn]] void differ(const std::string &expected, const std::string &actual) const {
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

// Expects a row for every distance within k, in order of the end, then of the pattern.
void compare(const Text &text, const std::vector<Pattern> &patterns, const Distances &distances, size_t &record, Rows &rows) {
    for (size_t at = distances.begin; at < distances.end; at++) {
        while (record + 1 < text.records.size() && at >= text.records[record + 1].first) record++;
        for (size_t index = 0; index < patterns.size(); index++) {
            const int distance = distances.rows[index][at - distances.begin];
            if (distance > patterns[index].k) continue;
            if (text.records.empty()) {
                rows.expect_end(text.end(at), distance, patterns[index]);
            } else {
                const Record &of = text.records[record];
                rows.expect_alignment(of, at + 1 - of.first, distance, patterns[index]);
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

void compare_with_rules(const Options &options, const Text &text, const std::vector<Pattern> &patterns, Rows &rows) {
    size_t record = 0;
    Distances distances{0, text.codes.size(), {}};
    for (const Pattern &pattern : patterns) distances.rows.push_back(Rules(options, text, pattern).run());
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
    if (options.has_rules()) compare_with_rules(options, text, patterns, rows);
    else if (longest < 250) compare_in_strips<uint8_t>(options, text, patterns, rows);
    else compare_in_strips<uint16_t>(options, text, patterns, rows);
    rows.expect_no_more();
    std::printf("%llu\n", static_cast<unsigned long long>(rows.hits()));
}

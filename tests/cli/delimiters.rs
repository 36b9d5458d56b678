//! Lines that end with another delimiter than a line feed.

use crate::harness::{each_way, once};

#[test]
fn a_string_ends_lines_in_input_and_output() {
    each_way(|nigh| {
        nigh.write("t", "one abcEND two\nENDENDthree abd\nENEND last abc");
        nigh.prints("-k1 --delimiter END abc t", "one abcENDthree abd\nENEND last abcEND");
        nigh.prints("-k0 -n --delimiter END -e abc -e two t", "1:one abcEND2: two\nEND5: last abcEND");
        nigh.prints("-k0 -b --delimiter=END -e abd -e two t", "10: two\nEND21:three abd\nENEND");
        nigh.prints("-k0 -vn --delimiter=END abc t", "2: two\nEND3:END4:three abd\nENEND");
        nigh.prints("-k0 -c --delimiter=END abc t", "2\n");
        nigh.prints("-k0 -cv --delimiter=END abc t", "3\n");
        nigh.prints("-k0 -o --delimiter=END ab. t", "abcENDabdENDabcEND");
        nigh.prints("-k0 -c --delimiter=END abc$ t", "2\n");
        nigh.prints("-k0 -n --delimiter=END ^$ t", "3:END");
        nigh.prints("-k0 -c --delimiter=END ^ t", "5\n");
        nigh.prints("-k0 -n -B1 --delimiter=END last t", "4-three abd\nENEND5: last abcEND");
        nigh.prints("-k0 -n -A1 --delimiter=END one t", "1:one abcEND2- two\nEND");
        nigh.prints("-k0 -x --delimiter=END three.abd.EN t", "three abd\nENEND");
        nigh.prints("-k0 -c --delimiter=; abc t", "1\n");
        nigh.prints_with_input("-k0 --delimiter=; abc", "x;abc;y", "abc;");
        nigh.prints_with_input(r"-k0 --delimiter=\n\n abc", "a\nabc\n\nb\n\n\nabc\n", "a\nabc\n\n\nabc\n\n\n");
        nigh.prints_with_input(r"-k0 --delimiter \x3b\0 abc", "x;\0abc;;\0y", "abc;;\0");
        nigh.prints_with_input("-k0 --delimiter=é abc", "xèéabcéy", "abcé");
        nigh.prints_with_input("-k0 --delimiter=aa abc", "xaaabcaay", "abcaa");
        nigh.prints_with_input("-k0 -c -a --delimiter=é \u{1e}abc", "x\u{1e}abcé\u{1f}", "1\n");
    });
    once(|nigh| {
        let every: String = (1..0x80).map(char::from).collect();
        nigh.write("every", format!("{every}END{every}"));
        nigh.fails(
            "-k0 --delimiter END abc every",
            "nigh: every: a --delimiter of several bytes needs a byte from 1 to 127 that does not occur in the text",
        );
        nigh.fails("--delimiter= x", "a delimiter cannot be empty");
        nigh.fails(r"--delimiter \q x", "invalid escape; use");
        nigh.fails("--delimiter END -z x", "cannot be used with");
        nigh.write("s.fa", ">r\nACGT\n").fails("-k0 --delimiter END ACGT s.fa", "--delimiter is for lines of text");
    });
}

#[test]
fn long_lines_that_a_string_ends_are_cut_where_it_is_not() {
    each_way(|nigh| {
        let text = format!("{}<br>{}abc<br>{}", "x<b".repeat(300), "y".repeat(200), "<br".repeat(100));
        nigh.write("t", text);
        nigh.prints("-k0 -c --delimiter=<br> abc$ t", "1\n");
        nigh.prints("-k0 -c -v --delimiter=<br> abc t", "2\n");
        nigh.prints("-k0 -c --delimiter=<br> <br$ t", "1\n");
        nigh.prints("-k0 --ends --delimiter=<br> abc t", "t\t1107\t0\tabc\n");
    });
}

#[test]
fn a_carriage_return_before_the_end_of_a_line_is_part_of_it() {
    each_way(|nigh| {
        nigh.write("t", "abc\r\nxabc\n\r\nab\rc\r\nlast abc\r");
        nigh.prints("-k0 --crlf abc$ t", "abc\r\nxabc\n");
        nigh.prints("-k0 -c abc$ t", "1\n");
        nigh.prints("-k0 --crlf -x abc t", "abc\r\n");
        nigh.prints("-k1 --crlf -n -x abc t", "1:abc\r\n2:xabc\n4:ab\rc\r\n");
        nigh.prints("-k0 --crlf -vn abc t", "3:\r\n4:ab\rc\r\n");
        nigh.prints("-k0 --crlf -c ^$ t", "1\n");
        nigh.prints("-k0 --crlf -c -v abc t", "2\n");
        nigh.prints("-k0 --crlf -n -C1 ab.c t", "3-\r\n4:ab\rc\r\n5-last abc\r\n");
        nigh.prints("-k0 --crlf -b last t", "18:last abc\r\n");
        nigh.prints("-k0 --crlf -o abc t", "abc\nabc\nabc\n");
        nigh.prints("-k0 --crlf --ends abc$ t", "t\t3\t0\tabc$\nt\t9\t0\tabc$\n");
    });
}

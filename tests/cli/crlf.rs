//! Lines that end with a carriage return and a line feed.

use crate::harness::each_way;

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
        nigh.prints("-k0 --crlf --format=ends abc$ t", "t\t3\t0\tabc$\nt\t9\t0\tabc$\n");
    });
}

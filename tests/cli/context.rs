//! Context lines.

use crate::harness::each_way;

const TEN: &str = "1\n2\n3 hit\n4\n5\n6\n7\n8 hit\n9 hit\n10\n";

#[test]
fn context_surrounds_groups_of_lines() {
    each_way(|nigh| {
        nigh.write("t", TEN);
        nigh.prints("-k0 -A1 hit t", "3 hit\n4\n--\n8 hit\n9 hit\n10\n");
        nigh.prints("-k0 -B1 hit t", "2\n3 hit\n--\n7\n8 hit\n9 hit\n");
        nigh.prints("-k0 -C2 hit t", TEN);
        nigh.prints("-k0 -nC1 hit t", "2-2\n3:3 hit\n4-4\n--\n7-7\n8:8 hit\n9:9 hit\n10-10\n");
        nigh.prints("-k0 -A1 --no-group-separator hit t", "3 hit\n4\n8 hit\n9 hit\n10\n");
        nigh.prints("-k0 -A0 --group-separator=## hit t", "3 hit\n##\n8 hit\n9 hit\n");
        nigh.prints("-k0 -A1 --group-separator=## hit t", "3 hit\n4\n##\n8 hit\n9 hit\n10\n");
        nigh.prints("-k0 -A0 --no-group-separator --group-separator=## hit t", "3 hit\n##\n8 hit\n9 hit\n");
        nigh.prints("-k0 -A0 --group-separator=## --no-group-separator hit t", "3 hit\n8 hit\n9 hit\n");
    });
}

#[test]
fn context_of_files_is_separated() {
    each_way(|nigh| {
        nigh.write("a", "x\nhit\n").write("b", "y\nhit\nz\n");
        nigh.prints("-k0 -C1 hit a b", "a-x\na:hit\n--\nb-y\nb:hit\nb-z\n");
        nigh.prints("-k0 -bC1 hit b", "0-y\n2:hit\n6-z\n");
    });
}

#[test]
fn a_limit_ends_after_the_context_of_the_last_line() {
    each_way(|nigh| {
        nigh.write("t", TEN);
        nigh.prints("-k0 -m1 -A2 hit t", "3 hit\n4\n5\n");
        nigh.prints("-k0 -m2 -A1 hit t", "3 hit\n4\n--\n8 hit\n9 hit\n");
        nigh.prints("-k0 -m1 hit t t", "t:3 hit\nt:3 hit\n");
        nigh.finds_nothing("-k0 -m0 hit t", "");
    });
}

#[test]
fn context_of_lines_without_a_match() {
    each_way(|nigh| {
        nigh.write("t", "a\nx\nb\nx\nx\nx\nc\n");
        nigh.prints("-k0 -vn -B1 x t", "1:a\n2-x\n3:b\n--\n6-x\n7:c\n");
    });
}

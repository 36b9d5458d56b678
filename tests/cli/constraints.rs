//! Edit constraints: kinds, limits, costs, transpositions, exact groups.

use fastrand::Rng;
use nigh_cpu::Isa;

use crate::harness::{each_way, finish, once};
use crate::support::random::is_thorough;

#[test]
fn a_bound_names_the_kinds_of_edit() {
    each_way(|nigh| {
        nigh.write("words", "deadlock\ndeadlick\ndeadlok\ndeadllock\ndeadllok\ndaedlock\n");
        nigh.prints("-k1s deadlock words", "deadlock\ndeadlick\n");
        nigh.prints("-k1i deadlock words", "deadlock\ndeadllock\n");
        nigh.prints("-k1d deadlock words", "deadlock\ndeadlok\n");
        nigh.prints("-k2s deadlock words", "deadlock\ndeadlick\ndeadllok\ndaedlock\n");
        nigh.prints("-k2id deadlock words", "deadlock\ndeadlick\ndeadlok\ndeadllock\ndeadllok\ndaedlock\n");
        nigh.prints("-k2is --cost deadlock words", "0:deadlock\n1:deadlick\n1:deadllock\n2:deadllok\n2:daedlock\n");
        nigh.prints("-k2sid deadlock words", "deadlock\ndeadlick\ndeadlok\ndeadllock\ndeadllok\ndaedlock\n");
        nigh.prints("-k25%s deadlock words", "deadlock\ndeadlick\ndeadllok\ndaedlock\n");
        nigh.prints("-k2s -1 deadlock words", "deadlock\ndeadlick\ndeadlok\ndeadllock\n");
    });
}

#[test]
fn kinds_of_edit_have_limits_beside_the_total() {
    each_way(|nigh| {
        nigh.write("words", "deadlock\ndeadlick\ndeadlok\ndeadllock\ndedlok\ndeeadllock\n");
        nigh.prints("--edits i,d<=1,s,e<=2 deadlock words", "deadlock\ndeadlick\ndeadlok\ndeadllock\ndeeadllock\n");
        nigh.prints("-x --edits i<=1,d,s,e<=2 deadlock words", "deadlock\ndeadlick\ndeadlok\ndeadllock\ndedlok\n");
        nigh.prints("--edits s,e<=2 deadlock words", "deadlock\ndeadlick\n");
        nigh.prints("--edits i,d,e<=1 -w deadlock words", "deadlock\ndeadlok\ndeadllock\n");
        nigh.prints("--edits s<=0 deadlock words", "deadlock\n");
    });
}

#[test]
fn limits_of_kinds_add_up_to_the_total() {
    each_way(|nigh| {
        nigh.write("words", "deadlock\ndeadlick\ndeadlok\ndaedlock\ndaedlick\ndaedlix\n");
        let all = |arguments: &str, k: &str| {
            let expected = nigh.run(&format!("--edits {arguments},{k} --cost deadlock words"));
            nigh.prints(&format!("--edits {arguments} --cost deadlock words"), &expected.text());
        };
        nigh.prints("--edits s<=2 --cost deadlock words", "0:deadlock\n1:deadlick\n2:daedlock\n");
        all("s<=2", "e<=2");
        all("s<3", "e<3");
        all("d<=1,s<=2", "e<=3");
        all("i<=1,d<=1,s<=1", "i+d+s<=3");
        // An explicit bound applies, and the last of --edits and -k.
        nigh.prints("--edits i,d,s<=2,e<=1 -c deadlock words", "3\n");
        nigh.prints("--edits i,d,s<=2,e<=0 -c deadlock words", "1\n");
        nigh.prints("-k5 --edits s<=0 -c deadlock words", "1\n");
        nigh.prints("--edits s<=0 -1 -c deadlock words", "3\n");
    });
}

#[test]
fn edits_have_costs_and_k_bounds_their_sum() {
    each_way(|nigh| {
        nigh.write("words", "deadlock\ndeadlick\ndeadlok\ndeadllock\n");
        nigh.prints("--edits i+d+2s<=1 deadlock words", "deadlock\ndeadlok\ndeadllock\n");
        nigh.prints("--edits i+d+2s<=2 --cost -w deadlock words", "0:deadlock\n2:deadlick\n1:deadlok\n1:deadllock\n");
        nigh.prints("--edits 5i+4d+3s<=5 -x --cost deadlock words", "0:deadlock\n3:deadlick\n4:deadlok\n5:deadllock\n");
        // K may equal the length of the pattern if deleting the whole pattern costs more than K.
        nigh.prints("--edits i+4d+s<=3 abc words", "deadlock\ndeadlick\ndeadlok\ndeadllock\n");
    });
}

#[test]
fn a_substitution_that_costs_a_deletion_and_an_insertion_stays_a_substitution() {
    each_way(|nigh| {
        nigh.write("words", "deadlock\ndeadlick\ndeadlok\ndedlok\nxdeadlocky\n");
        let lines = "1:0:deadlock\n2:2:deadlick\n3:1:deadlok\n4:2:dedlok\n5:0:deadlock\n";
        nigh.prints("--edits i+d+2s<=2 -on --cost deadlock words", lines);
        let ends = "6\t2\n7\t1\n8\t0\n17\t2\n24\t2\n25\t1\n32\t2\n40\t2\n41\t1\n42\t0\n43\t1\n";
        let ends: String = ends.lines().map(|end| format!("words\t{end}\tdeadlock\n")).collect();
        nigh.prints("--edits i+d+2s<=2 --format=ends deadlock words", &ends);
        nigh.prints("-k2id --format=ends deadlock words", &ends);
        nigh.write("s.fa", ">r\nTTGATCACATT\n");
        let rows = |cost: usize, last: &str| {
            let first = format!("r\t2\t7\tGATTACA\t{cost}\t+\t2=1I1=1I2=\tGATCA\n");
            format!("{first}r\t2\t9\tGATTACA\t{cost}\t+\t{last}\tGATCACA\n")
        };
        nigh.prints("--edits i+d+2s<=2 --strand forward GATTACA s.fa", &rows(2, "3=1X3="));
        nigh.prints("--edits 2i+2d+4s<=4 --strand forward GATTACA s.fa", &rows(4, "3=1X3="));
        nigh.prints("--edits 2i+2d+5s<=5 --strand forward GATTACA s.fa", &rows(4, "3=1D1I3="));
    });
}

/// Returns `lines` lines of random text that contain pieces of `pattern`, some of them with edits.
fn random_lines(rng: &mut Rng, lines: usize, letters: &[u8], pattern: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..lines {
        text.extend((0..rng.usize(..100)).map(|_| *rng.choice(letters).unwrap()));
        let mut piece = pattern.to_vec();
        for _ in 0..rng.usize(..4) {
            let at = rng.usize(..piece.len());
            match rng.u8(..3) {
                0 => drop(piece.remove(at)),
                1 => piece.insert(at, *rng.choice(letters).unwrap()),
                _ => piece[at] = *rng.choice(letters).unwrap(),
            }
        }
        text.extend_from_slice(if rng.bool() { &piece } else { &[] });
        text.push(b'\n');
    }
    text
}

#[test]
fn indel_distances_are_those_of_the_reference_on_every_instruction_set() {
    let mut rng = Rng::with_seed(41);
    for (length, letters) in [(12, &b"abcdef"[..]), (20, b"ACGT"), (70, b"ACGT"), (150, b"ACGT")] {
        let pattern: Vec<u8> = (0..length).map(|_| *rng.choice(letters).unwrap()).collect();
        let lines = random_lines(&mut rng, if is_thorough() { 3000 } else { 1500 }, letters, &pattern);
        let records: Vec<u8> =
            lines.split(|&byte| byte == b'\n').flat_map(|line| [b">r\n", line, b"\n"].concat()).collect();
        let pattern = String::from_utf8(pattern).unwrap();
        once(|nigh| {
            nigh.write("t", &lines).write("t.fa", &records);
            let costs = ["--edits i+d+2s<=1", "--edits i+d+2s<=3", "--edits 2i+2d+5s<=4", "-k2id"];
            let outputs = [" --format=ends", " -o -n --cost", " --best -c", " -x", ""];
            for (costs, output) in costs.iter().flat_map(|costs| outputs.map(|output| (costs, output))) {
                let input = if output.is_empty() { "t.fa" } else { "t" };
                if input == "t.fa" && letters.len() > 4 {
                    continue;
                }
                let arguments = format!("{costs}{output} {pattern} {input}");
                let expected = nigh.run(&format!("--engine reference {arguments}"));
                for isa in Isa::all() {
                    let mut command = nigh.command(&format!("--engine cpu -j2 {arguments}"));
                    command.env("NIGH_ISA", isa.name());
                    let found = finish(command, Vec::new());
                    assert!(found.stdout == expected.stdout, "{}, {arguments}", isa.name());
                    assert_eq!(found.status, expected.status, "{}, {arguments}: {}", isa.name(), found.stderr);
                }
            }
        });
    }
}

#[test]
fn swapped_neighbours_are_one_edit() {
    each_way(|nigh| {
        nigh.write("words", "deadlcok\ndaedlock\nedadlcok\ndeadcklo\n");
        nigh.prints("-k1 --transpositions deadlock words", "deadlcok\ndaedlock\n");
        nigh.prints("-k2 -x --transpositions --cost deadlock words", "1:deadlcok\n1:daedlock\n2:edadlcok\n");
        nigh.finds_nothing("-k1 deadlock words", "");
        // Swapped symbols are not edited again, so 'ca' is three edits from 'abc', not two.
        nigh.prints_with_input("-k2 -x --transpositions -c abc", "ca\nbac\n", "1\n");
        nigh.prints_with_input("-k1 -o --transpositions abcd", "xx bacd yy\n", "bacd\n");
    });
    each_way(|nigh| {
        nigh.write("s.fa", ">r\nTTGATTCAATT\n");
        nigh.prints(
            "-k1 --transpositions --strand forward GATTACA s.fa",
            "r\t2\t8\tGATTACA\t1\t+\t4=1I2=\tGATTCA\nr\t2\t9\tGATTACA\t1\t+\t4=2X1=\tGATTCAA\n",
        );
    });
}

#[test]
fn a_group_in_angle_brackets_matches_as_it_stands() {
    each_way(|nigh| {
        nigh.write("text", "error code 404\neror code 404\nerror cde 404\nerror co-de 404\nerror code\n");
        nigh.prints("-k1 --exact-group error_<code> text", "error code 404\neror code 404\nerror code\n");
        nigh.prints("-k1 -F --exact-group error_<code> text", "error code 404\neror code 404\nerror code\n");
        nigh.prints("-k1 --exact-group <err>or_code_4(04|05) text", "error code 404\nerror cde 404\nerror co-de 404\n");
        nigh.write("tags", "a <b> c\na <d> c\na b c\n");
        nigh.prints("-k1 <b> tags", "a <b> c\na <d> c\n");
        nigh.prints(r"-k1 --exact-group a_\<<b>\> tags", "a <b> c\n");
        nigh.prints(r"-k1 -F --exact-group a_\<<b>\> tags", "a <b> c\n");
        nigh.prints(r"-k1 -o --exact-group <[<]>b[>] tags", "<b>\n<d>\n");
    });
}

#[test]
fn a_group_holds_on_both_strands() {
    each_way(|nigh| {
        // The site with an NGG PAM on the forward strand, on the reverse strand, with a wrong PAM, and with a deleted
        // base.
        nigh.write("s.fa", ">f\nTTGATTACATGGTT\n>r\nAACCATGTAATCAA\n>n\nTTGATTACATGATT\n>e\nTTGATACATGGTT\n");
        nigh.prints(
            "-k1s --exact-group GATTACA<NGG> s.fa",
            "f\t2\t12\tGATTACA<NGG>\t0\t+\t10=\tGATTACATGG\nr\t2\t12\tGATTACA<NGG>\t0\t-\t10=\tCCATGTAATC\n",
        );
        let run = nigh.run("-k1 --exact-group -c GATTACA<NGG> s.fa");
        assert_eq!(run.text(), "3\n");
    });
}

#[test]
fn constraints_hold_for_bytes_ends_and_counts() {
    each_way(|nigh| {
        nigh.write("words", "naive\nnaïve\nnaïv\n");
        nigh.prints("-k2s naïve words", "naive\nnaïve\n");
        nigh.prints("--bytes -k1s naïve words", "naïve\n");
        nigh.prints("--bytes --edits i,d,s<=1,e<=2 -c naïve words", "3\n");
        nigh.prints_with_input(
            "-k1s --format=ends abc",
            "abd xbc\n",
            "(standard input)\t3\t1\tabc\n(standard input)\t7\t1\tabc\n",
        );
        nigh.prints_with_input("-k1s -v abc", "abd\nabx\nac\n", "ac\n");
        nigh.prints_with_input("-k1s -o abc", "abdabc axc\n", "abd\nabc\naxc\n");
    });
}

#[test]
fn patterns_that_could_match_the_empty_string_are_refused() {
    once(|nigh| {
        nigh.write("t", "xyz\n");
        nigh.fails("--edits i+d+2s<=3 abc t", "pattern 'abc': --edits 'i+d+2s<=3' would match everywhere");
        nigh.fails("-k3d abc t", "pattern 'abc'");
        nigh.fails("--edits i+2d+s<=6 abc t", "pattern 'abc'");
        // With substitutions only, a match has as many symbols as the pattern.
        nigh.prints("-k3s -o abc t", "xyz\n");
        nigh.finds_nothing("-k2s abc t", "");
        nigh.finds_nothing("--edits i,d<=2,e<=5 abc t", "");
        nigh.fails("--edits i,d<=1,s,e<=4000000000 abc t", "a match could have more than 1048576 insertions");
        nigh.fails("--exact-group ab<c t", "unclosed '<'");
        nigh.fails("--exact-group ab>c t", "unopened '>'");
        nigh.fails("--edits i+d+0s<=1 abc t", "--edits");
        nigh.fails("-k2x abc t", "'2x'");
    });
}

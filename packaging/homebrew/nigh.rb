class Nigh < Formula
  desc "Approximate grep that finds every match with at most k edits"
  homepage "@HOMEPAGE@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license any_of: ["Apache-2.0", "MIT"]

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args
    man1.install "man/nigh.1", "man/nigh-align.1", "man/nigh-pcr.1"
    %w[nigh nigh-align nigh-pcr].each do |program|
      bash_completion.install "man/complete/#{program}.bash" => program
      fish_completion.install "man/complete/#{program}.fish"
      zsh_completion.install "man/complete/_#{program}"
    end
  end

  test do
    (testpath/"service.log").write "conection refused\n"
    assert_equal "conection refused\n", shell_output("#{bin}/nigh -k1 'connection refused' service.log")
    assert_equal "kitten\tsitting\t3\n", pipe_output("#{bin}/nigh-align --pairs -", "kitten\tsitting\n", 0)
  end
end

# Runs a formula without Homebrew: `ruby try.rb FORMULA PREFIX`, in the folder of the sources, installs it below PREFIX and runs its test.
# It defines only the parts of Homebrew that nigh.rb uses.
require "fileutils"
require "open3"
require "pathname"
require "tmpdir"

# A folder that files are copied to.
class Target < Pathname
  def install(*files)
    mkpath
    files.flat_map { |file| file.is_a?(Hash) ? file.to_a : [[file, File.basename(file)]] }
         .each { |from, name| FileUtils.cp(from, self + name) }
  end
end

class Formula
  class << self
    attr_reader :steps

    %i[desc homepage url version sha256 license depends_on].each { |name| define_method(name) { |*| nil } }

    def test(&steps)
      @steps = steps
    end
  end

  attr_reader :prefix, :testpath

  def initialize(prefix, testpath)
    @prefix = Pathname.new(prefix)
    @testpath = Pathname.new(testpath)
  end

  def bin = prefix + "bin"
  def man1 = Target.new(prefix + "share/man/man1")
  def bash_completion = Target.new(prefix + "etc/bash_completion.d")
  def fish_completion = Target.new(prefix + "share/fish/vendor_completions.d")
  def zsh_completion = Target.new(prefix + "share/zsh/site-functions")

  def std_cargo_args = ["--locked", "--root=#{prefix}", "--path=."]

  def system(*command)
    Kernel.system(*command, exception: true)
  end

  def shell_output(command)
    pipe_output(command, "", 0)
  end

  def pipe_output(command, input, status)
    output, ended = Open3.capture2(command, stdin_data: input, chdir: testpath.to_s)
    raise "#{command}: status #{ended.exitstatus}" unless ended.exitstatus == status

    output
  end

  def assert_equal(expected, actual)
    raise "#{actual.inspect} instead of #{expected.inspect}" unless expected == actual
  end
end

require File.expand_path(ARGV.fetch(0))
Dir.mktmpdir do |folder|
  formula = Nigh.new(File.expand_path(ARGV.fetch(1)), folder)
  formula.install
  formula.instance_eval(&Nigh.steps)
end

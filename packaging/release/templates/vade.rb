class Vade < Formula
  desc "{{.Summary}}"
  homepage "{{.Homepage}}"
  version "{{.Version}}"
  license "Apache-2.0"

  on_macos do
    on_intel do
      url "{{.Downloads}}/{{archive "darwin/amd64"}}"
      sha256 "{{sum "darwin/amd64"}}"
    end
    on_arm do
      url "{{.Downloads}}/{{archive "darwin/arm64"}}"
      sha256 "{{sum "darwin/arm64"}}"
    end
  end

  on_linux do
    on_intel do
      url "{{.Downloads}}/{{archive "linux/amd64"}}"
      sha256 "{{sum "linux/amd64"}}"
    end
    on_arm do
      url "{{.Downloads}}/{{archive "linux/arm64"}}"
      sha256 "{{sum "linux/arm64"}}"
    end
  end

  def install
    bin.install "vade"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/vade.bash" => "vade"
    zsh_completion.install "completions/_vade"
    fish_completion.install "completions/vade.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/vade version")
  end
end

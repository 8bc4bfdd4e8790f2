/** The Homebrew formula: https://docs.brew.sh/Formula-Cookbook */
import { type Release, locate } from './sums.ts';

export function createFormula(release: Release): string {
  const source = (name: string): string => {
    const { url, sum } = locate(release, name);
    return `url "${url}"\n      sha256 "${sum}"`;
  };
  // Homebrew wants no full stop, and at most 80 characters.
  const [description = ''] = release.description.split(':');
  return `class Stockroom < Formula
  desc "${description}"
  homepage "https://github.com/${release.repository}"
  version "${release.version}"
  license "${release.license}"

  on_macos do
    on_arm do
      ${source('stockroom-darwin-arm64')}
    end
  end

  on_linux do
    on_arm do
      ${source('stockroom-linux-arm64')}
    end
    on_intel do
      ${source('stockroom-linux-x64')}
    end
  end

  def install
    bin.install Dir["stockroom-*"].first => "stockroom"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/stockroom --version")
  end
end
`;
}

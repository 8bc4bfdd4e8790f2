/** What bin/release makes of a release. */
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { cutNotes, findProblem } from '../../bin/release/changelog.ts';
import { createFormula } from '../../bin/release/formula.ts';
import { parseSums } from '../../bin/release/sums.ts';
import { createWingetManifest } from '../../bin/release/winget.ts';

const CHANGELOG = `# Changelog

## Unreleased

### Added

## 0.3.1 – 2027-01-02

### Added
- One.

### Security

## 0.3.0 – 2026-12-01
Text without a section.
`;
const manifest = { version: '0.3.1', description: 'Inventory on your machine: CLI and API.', license: 'MIT' };
const NAMES = ['stockroom-linux-x64', 'stockroom-linux-arm64', 'stockroom-darwin-arm64', 'stockroom-win-x64.exe'];
const sums = parseSums(NAMES.map((name, at) => `${String(at).repeat(64)}  ${name}\n`).join(''));
const release = { ...manifest, repository: 'ada/stockroom', tag: 'v0.3.1', sums };

test.each([
  ['0.3.1', '### Added\n- One.\n'],
  ['0.3.0', 'Text without a section.\n'],
  ['0.3', undefined],
])('the notes of %s are its part of the changelog, without empty sections', (version, notes) => {
  expect(cutNotes(CHANGELOG, version)).toBe(notes);
});

test.each([
  ['v0.3.1', '0.3.1', undefined],
  ['v0.3.2', '0.3.1', 'The tag is "v0.3.2", but package.json has the version 0.3.1. Use v0.3.1, or change package.json'],
  ['v0.4.0', '0.4.0', 'CHANGELOG.md has no heading "## 0.4.0 – YYYY-MM-DD" with text below it'],
])('tag %s of version %s: %s', (tag, version, problem) => {
  expect(findProblem(tag, { ...manifest, version }, CHANGELOG)).toBe(problem);
});

describe('SHA256SUMS', () => {
  test('with another line is an error that shows the line', () => {
    expect(() => parseSums('abc  file\n')).toThrow('a line that is not "HASH  NAME": abc  file');
  });

  test('without a file that a manifest needs is an error that names the file', () => {
    const incomplete = { ...release, sums: new Map([...sums].slice(0, 3)) };
    expect(() => createWingetManifest(incomplete)).toThrow('SHA256SUMS has no stockroom-win-x64.exe');
  });
});

test('the Homebrew formula has URL and hash of each system, and a description without a full stop', () => {
  const formula = createFormula(release);
  const sources = [...formula.matchAll(/on_(?<system>arm|intel) do\n +url "(?<url>.+)"\n +sha256 "(?<sum>[\da-f]{64})"/gu)];
  const base = 'https://github.com/ada/stockroom/releases/download/v0.3.1';
  expect(sources.map(({ groups }) => [groups?.['system'], groups?.['url'], groups?.['sum']?.[0]])).toEqual([
    ['arm', `${base}/stockroom-darwin-arm64`, '2'],
    ['arm', `${base}/stockroom-linux-arm64`, '1'],
    ['intel', `${base}/stockroom-linux-x64`, '0'],
  ]);
  expect(formula).toContain('desc "Inventory on your machine"\n');
  expect(formula).toContain('version "0.3.1"\n');
});

test('the winget manifest has three files of one package and version, with the hash of the executable', () => {
  const files = createWingetManifest(release);
  expect(Object.keys(files)).toEqual(['ada.stockroom.yaml', 'ada.stockroom.installer.yaml', 'ada.stockroom.locale.en-US.yaml']);
  const [version, installer, locale] = Object.values(files).map((text) => parse(text) as Record<string, unknown>);
  for (const file of [version, installer, locale])
    expect(file).toMatchObject({ PackageIdentifier: 'ada.stockroom', PackageVersion: '0.3.1', ManifestVersion: '1.10.0' });
  expect([version, installer, locale].map((file) => file?.['ManifestType'])).toEqual(['version', 'installer', 'defaultLocale']);
  const InstallerUrl = 'https://github.com/ada/stockroom/releases/download/v0.3.1/stockroom-win-x64.exe';
  expect(installer).toMatchObject({
    InstallerType: 'portable',
    Commands: ['stockroom'],
    Installers: [{ Architecture: 'x64', InstallerUrl, InstallerSha256: '3'.repeat(64) }],
  });
  expect(locale).toMatchObject({ PackageLocale: 'en-US', License: 'MIT', ShortDescription: manifest.description });
});

/** The winget manifest, three files: https://learn.microsoft.com/windows/package-manager/package/manifest */
import { stringify } from 'yaml';
import { type Release, locate } from './sums.ts';

const MANIFEST_VERSION = '1.10.0';
const LOCALE = 'en-US';

/** By file name. */
export function createWingetManifest(release: Release): Readonly<Record<string, string>> {
  const [owner = ''] = release.repository.split('/');
  const id = `${owner}.stockroom`;
  const { url, sum } = locate(release, 'stockroom-win-x64.exe');
  const write = (type: string, fields: Readonly<Record<string, unknown>>): string =>
    `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${MANIFEST_VERSION}.schema.json\n${stringify({
      PackageIdentifier: id,
      PackageVersion: release.version,
      ...fields,
      ManifestType: type,
      ManifestVersion: MANIFEST_VERSION,
    })}`;
  return {
    [`${id}.yaml`]: write('version', { DefaultLocale: LOCALE }),
    [`${id}.installer.yaml`]: write('installer', {
      InstallerType: 'portable',
      Commands: ['stockroom'],
      Installers: [{ Architecture: 'x64', InstallerUrl: url, InstallerSha256: sum.toUpperCase() }],
    }),
    [`${id}.locale.${LOCALE}.yaml`]: write('defaultLocale', {
      PackageLocale: LOCALE,
      Publisher: owner,
      PackageName: 'stockroom',
      PackageUrl: `https://github.com/${release.repository}`,
      License: release.license,
      ShortDescription: release.description,
    }),
  };
}

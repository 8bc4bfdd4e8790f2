/** The files of a release and their hashes. */
import type { Manifest } from './changelog.ts';

export interface Release extends Manifest {
  /** `OWNER/NAME` at GitHub. */
  readonly repository: string;
  readonly tag: string;
  /** By file name, hexadecimal. */
  readonly sums: ReadonlyMap<string, string>;
}

/** Reads what `sha256sum` has written: a hash, a space, a space or an asterisk, and a name. */
export function parseSums(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { sum, name } = /^(?<sum>[\da-f]{64}) [ *](?<name>\S+)$/u.exec(line)?.groups ?? {};
        if (sum === undefined || name === undefined) throw new Error(`SHA256SUMS has a line that is not "HASH  NAME": ${line}`);
        return [name, sum] as const;
      }),
  );
}

/** Where a file can be downloaded, and its hash. */
export function locate({ repository, tag, sums }: Release, name: string): { url: string; sum: string } {
  const sum = sums.get(name);
  if (sum === undefined) throw new Error(`SHA256SUMS has no ${name}`);
  return { url: `https://github.com/${repository}/releases/download/${tag}/${name}`, sum };
}

/** The formats of the data directory that this release reads. */
import { convertCheckpoint } from './checkpoint/upgrade.ts';
import type { Disk } from './disk/disk.ts';
import type { Formats, Manifest } from './manifest.ts';

const keepManifest = async (_disk: Disk, _directory: string, manifest: Manifest): Promise<Manifest> => manifest;

/**
 * Format 4 is that of release 0.1.0. Format 5: checkpoints hold indexes of filters, and more forms of ids as numbers. Format 6: checkpoints
 * have rows only. Format 7: new segments start with a header. A new format adds its upgrade here; where it changes nothing but the number,
 * older data is still read as it is, and the number makes older releases reject what they would misread.
 */
export const FORMATS: Formats = {
  current: 7,
  upgrades: [
    { from: 4, apply: keepManifest },
    { from: 5, apply: convertCheckpoint },
    { from: 6, apply: keepManifest },
  ],
};

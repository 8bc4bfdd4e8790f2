/** Explains why a file cannot be read or written. The messages of Node name system calls, error codes and internal paths. */

const REASONS: Readonly<Record<string, string>> = {
  ENOTDIR: 'a parent directory is a file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
};

const UNREADABLE = { ...REASONS, ENOENT: 'no such file' };

export const NO_SPACE = 'no space left on the disk';

const UNWRITABLE = {
  ...REASONS,
  ENOENT: 'no such directory',
  EROFS: 'the file system is read-only',
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EFBIG: 'the file would be too large',
  EEXIST: 'a file of that name exists',
};

const explain = (reasons: Readonly<Record<string, string>>, error: unknown): string =>
  reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;

export const explainReadError = (error: unknown): string => explain(UNREADABLE, error);
export const explainWriteError = (error: unknown): string => explain(UNWRITABLE, error);

export const explainJsonError = (error: unknown): string => `invalid JSON (${(error as Error).message})`;

/** Runs before each test file is imported: names it for the record of reached mutants, in this process and in those it starts. */
import { relative } from 'node:path';
import { expect } from 'vitest';
import { TEST_FILE } from './environment.ts';

process.env[TEST_FILE] = relative(process.cwd(), expect.getState().testPath ?? '');

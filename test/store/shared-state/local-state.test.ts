import { createLocalRateWindows } from '../../../src/store/local-state/rate-windows.ts';
import { testRateWindows } from './rate-windows.ts';

testRateWindows('rate windows in memory', createLocalRateWindows);

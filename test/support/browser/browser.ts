/** A page in a real Chromium with a profile of its own, and everything it asked for and complained about. Nothing it does leaves this machine. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type Page, chromium } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page that asks for a name outside gets none; the request is still counted.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Widths and heights in CSS pixels. */
export const PHONE = { width: 390, height: 844 } as const;
export const DESKTOP = { width: 1280, height: 800 } as const;

export interface BrowserOptions {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly javaScript?: boolean;
}

export interface TestBrowser extends AsyncDisposable {
  readonly page: Page;
  /** For cookies, further tabs and routes. */
  readonly context: BrowserContext;
  /** The address of every request of every tab, in order; also of those that failed or were refused. */
  readonly requests: readonly string[];
  /** Errors of the console (a violated Content-Security-Policy is one), uncaught exceptions. */
  readonly complaints: readonly string[];
}

/** Opens an empty page; disposing of it ends the browser and removes its profile. */
export async function openBrowser({
  viewport = DESKTOP,
  colorScheme = 'light',
  javaScript = true,
}: BrowserOptions = {}): Promise<TestBrowser> {
  const directory = await mkdtemp(join(tmpdir(), 'stockroom-browser-'));
  const context = await chromium.launchPersistentContext(join(directory, 'profile'), {
    executablePath: chromiumPath(),
    args: FLAGS,
    chromiumSandbox: false,
    env: { ...process.env, HOME: directory, XDG_CONFIG_HOME: directory, XDG_CACHE_HOME: directory },
    viewport,
    colorScheme,
    javaScriptEnabled: javaScript,
  });
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    context,
    requests,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Whether the page can be scrolled sideways, which on a phone it never should. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** A page in a real Chromium with its own storage, and its requests and errors. No request leaves this machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
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
  /** The URL of every request of every tab, in order; also of those that failed or were rejected. */
  readonly requests: readonly string[];
  /** Errors and warnings of the console (a violated Content-Security-Policy is one) and uncaught exceptions. */
  readonly complaints: readonly string[];
}

/** The Chromium of this test process: starting one costs more CPU than most tests of pages. Playwright ends it with the process. */
let chromiumProcess: Promise<Browser> | undefined;

function launchChromium(): Promise<Browser> {
  const home = mkdtempSync(join(tmpdir(), 'stockroom-browser-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  return chromium.launch({
    executablePath: chromiumPath(),
    args: FLAGS,
    chromiumSandbox: false,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home },
  });
}

/** Opens an empty page in a new browser context; disposing of it deletes the context with its storage. */
export async function openBrowser({
  viewport = DESKTOP,
  colorScheme = 'light',
  javaScript = true,
}: BrowserOptions = {}): Promise<TestBrowser> {
  const browser = await (chromiumProcess ??= launchChromium());
  const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled: javaScript });
  const requests: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return {
    page: await context.newPage(),
    context,
    requests,
    complaints,
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Whether the page can be scrolled sideways, which on a phone it never should. */
export const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

/** The locale of the browser, which may name one that is none: Chromium on Linux without a locale has `en-US@posix`. */
export function toLocale(name: string): string {
  for (const candidate of [name, name.replace(/[@.].*$/u, '').replaceAll('_', '-')]) {
    try {
      return new Intl.Locale(candidate).toString();
    } catch {
      // The next one.
    }
  }
  return 'en-US';
}

export const LOCALE = toLocale(navigator.language);

/** For code of others, which would throw: uPlot does when it is loaded. */
export function fixLocale(): void {
  if (navigator.language !== LOCALE) Object.defineProperty(navigator, 'language', { value: LOCALE });
}

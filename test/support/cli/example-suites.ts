/** The suites of docs/examples/testing that need an interpreter. */

/** By language: what shows that it is installed, the command, and what it prints when its tests pass. */
export const SUITES: Readonly<Record<string, readonly [probe: readonly string[], run: readonly string[], passed: RegExp]>> = {
  pytest: [['pytest', '--version'], ['pytest', '-q', '-p', 'no:cacheprovider', 'test_shop.py'], /^4 passed/mu],
  Go: [['go', 'version'], ['go', 'test', 'shop_test.go'], /^ok\s/mu],
  PHPUnit: [['phpunit', '--version'], ['phpunit', 'ShopTest.php'], /OK \(3 tests/u],
  minitest: [['ruby', '-rminitest', '-e', ''], ['ruby', 'shop_test.rb'], /^4 runs, \d+ assertions, 0 failures, 0 errors, 0 skips/mu],
  Java: [['javac', '--version'], ['java', 'ShopTest.java'], /^4 tests passed/mu],
};

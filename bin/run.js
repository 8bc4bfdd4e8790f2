#!/usr/bin/env node
// Uses syntax that Node 14 can parse, so that the version check below also runs on an old Node.
// Newer syntax is only in the files imported after the check.

// Avoids an import if possible: Node creates a facade for imported built-in modules, which takes some milliseconds.
if (process.getBuiltinModule) start(process.getBuiltinModule('fs').readFileSync);
else void import('fs').then(({ readFileSync }) => start(readFileSync));

/** @param {typeof import('fs').readFileSync} readFileSync */
function start(readFileSync) {
  const pjson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [neededMajor = 0, neededMinor = 0] = (/[\d.]+/.exec(pjson.engines.node) || [''])[0].split('.').map(Number);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const tooOld = major < neededMajor || (major === neededMajor && minor < neededMinor);

  if (tooOld) {
    void import('./pinned-node.js').then((pinned) => pinned.rerunWithPinnedNode(new URL('./run.js', import.meta.url), pjson.engines.node));
  } else if (process.argv[2] === '--version') {
    // Prints the same line as oclif, without loading it.
    console.log(`${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}`);
  } else if (process.argv[2] === '__complete') {
    // Shell completion does not load oclif, which would be too slow.
    void import('./complete.js');
  } else {
    void import('./launch.js');
  }
}

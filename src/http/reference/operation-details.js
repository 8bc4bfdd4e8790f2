// Adds to each operation in the viewer: sample requests above its responses, and its error codes below.
import { createElement } from './dom.js';

/** The language of the sample that was chosen last. */
let chosenLabel = 'curl';

/**
 * A plugin of swagger-ui.
 *
 * @param {OpenApiDocument} openApi
 */
export function createDetailsPlugin({ paths }) {
  /** @param {ViewerComponent} Responses @param {ViewerSystem} system */
  const wrapResponses = (Responses, { React }) => {
    /** @param {{ readonly path: string; readonly method: string }} props */
    const WithDetails = (props) => {
      const operation = paths[props.path]?.[props.method];
      if (operation === undefined) return React.createElement(Responses, props);
      const createSlot = (/** @type {() => Node} */ render) =>
        React.createElement('div', {
          ref: (/** @type {HTMLElement | null} */ slot) => void (slot?.hasChildNodes() || slot?.append(render())),
        });
      return React.createElement(
        React.Fragment,
        null,
        createSlot(() => renderSamples(operation['x-codeSamples'])),
        React.createElement(Responses, props),
        createSlot(() => renderErrorCodes(operation['x-errors'])),
      );
    };
    return WithDetails;
  };
  return () => ({ wrapComponents: { responses: wrapResponses } });
}

/** @param {readonly CodeSample[]} samples */
function renderSamples(samples) {
  const code = createElement('code');
  const buttons = samples.map(({ label }) => {
    const button = createElement('button', { type: 'button', textContent: label });
    button.addEventListener('click', () => show(label));
    return button;
  });
  /** @param {string} label */
  function show(label) {
    chosenLabel = label;
    code.textContent = samples.find((sample) => sample.label === label)?.source ?? '';
    for (const button of buttons) button.ariaPressed = String(button.textContent === label);
  }
  show(chosenLabel);
  const copy = createElement('button', { type: 'button', className: 'copy', textContent: 'Copy' });
  copy.addEventListener('click', () => void copyText(copy, code.textContent ?? ''));
  const bar = createElement('div', { className: 'languages' }, [...buttons, ...(isSecureContext ? [copy] : [])]);
  return createElement('section', { className: 'samples', ariaLabel: 'Sample requests' }, [bar, createElement('pre', {}, [code])]);
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
async function copyText(button, text) {
  await navigator.clipboard.writeText(text);
  button.textContent = 'Copied';
  button.addEventListener('blur', () => (button.textContent = 'Copy'), { once: true });
}

/** @param {readonly string[]} codes */
function renderErrorCodes(codes) {
  const links = codes.flatMap((code) => [createElement('a', { href: `#error-${code}`, textContent: code }), ', ']).slice(0, -1);
  const common = createElement('a', { href: '#errors', textContent: 'common errors' });
  return createElement('p', { className: 'error-codes' }, ['Errors: ', ...links, links.length === 0 ? 'the ' : ' and the ', common, '.']);
}

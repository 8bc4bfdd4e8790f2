// Adapts swagger-ui: the key is masked in the curl command, and formats of texts have a field.
import { listOperations } from './document.js';

const KEY_HEADER = /^x-api-key$/iu;

/**
 * A plugin of swagger-ui.
 *
 * @param {OpenApiDocument} openApi
 */
export function createViewerPlugin(openApi) {
  /** @param {ViewerComponent} Curl @param {ViewerSystem} system */
  const wrapCurl = (Curl, { React }) => {
    /** @param {{ readonly request: ViewerMap }} props */
    const MaskedCurl = (props) => {
      const headers = props.request.get('headers');
      const masked = headers.map((value, name) => (KEY_HEADER.test(name) ? maskKey(value) : value));
      return React.createElement(Curl, { ...props, request: props.request.set('headers', masked) });
    };
    return MaskedCurl;
  };
  /** Without these, swagger-ui looks for a field of each format, and writes to the console. @param {ViewerSystem} system */
  return (system) => ({
    wrapComponents: { curl: wrapCurl },
    components: Object.fromEntries(
      listFormats(openApi).map((format) => [
        `JsonSchema_string_${format}`,
        (/** @type {Readonly<Record<string, unknown>>} */ props) =>
          system.React.createElement(system.getComponent('JsonSchema_string'), props),
      ]),
    ),
  });
}

/** @param {string} key */
const maskKey = (key) => `${key.slice(0, 'pk_test_'.length)}…`;

/** @param {OpenApiDocument} openApi */
function listFormats(openApi) {
  const schemas = listOperations(openApi)
    .flatMap(({ operation }) => operation.parameters ?? [])
    .map(({ schema }) => schema);
  return [...new Set(schemas.flatMap((schema) => schema?.format ?? []))];
}

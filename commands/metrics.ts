import { defineCommand } from '../src/cli/command/define-command.ts';
import { adminAccess } from '../src/cli/session/admin-session.ts';
import { METRICS_PATH } from '../src/contract/admin/daemon.ts';

const COLUMNS = ['metric', 'labels', 'value'];

export default defineCommand({
  access: adminAccess,
  summary: 'Print the metrics of the daemon',
  description: "In a pipe Prometheus' text format; on a terminal and with another format, a row for each value.",
  examples: ['metrics', `metrics --json --jq '.data[] | select(.metric == "stockroom_webhook_deliveries_open")'`],
  async run({ output, session }) {
    const view = output.validateView({ fields: COLUMNS, columns: COLUMNS, neverTruncated: ['metric'] });
    const text = await session.fetchText(METRICS_PATH);
    if (output.format === 'tsv' && !output.isFormatChosen && output.columns === undefined) await output.write(text);
    else await output.printList({ data: parseMetrics(text) }, view);
  },
});

function parseMetrics(text: string): { metric: string; labels: string; value: number }[] {
  return text.split('\n').flatMap((line) => {
    const [, metric, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
    return metric === undefined ? [] : [{ metric, labels, value: Number(value?.replace('Inf', 'Infinity')) }];
  });
}

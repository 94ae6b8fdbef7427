import { later } from '../ui/later';

/** The curves that a job's programs write for TensorBoard; the code comes when it is first shown. */
export const MetricsPanel = later(async () => (await import('./metrics_panel')).MetricsPanel);

// Lays out graphs in a worker, so that the page stays responsive.
import { type Density, type Item, layout } from "./layout";

interface LayoutRequest {
  number: number;
  items: Item[];
  density: Density;
  nodeWidth: number;
}

self.onmessage = (message: MessageEvent<LayoutRequest>) => {
  const { number, items, density, nodeWidth } = message.data;
  postMessage({ number, layout: layout(items, density, nodeWidth) });
};

// Lays graphs out away from the page, which stays smooth meanwhile.
import { layout, type Density, type Item } from "./layout";

interface Wish {
  number: number;
  items: Item[];
  density: Density;
}

onmessage = (message: MessageEvent<Wish>) => {
  const { number, items, density } = message.data;
  postMessage({ number, layout: layout(items, density) });
};

// What needs me, what runs, what ended since I left.
import { NowPage } from "@/features/now/now-page";

export default NowPage;

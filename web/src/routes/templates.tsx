// Plans to use again.
import { TemplatesPage } from "@/features/templates/templates-page";

export default TemplatesPage;

// Templates.
import { TemplatesPage } from "@/features/templates/templates-page";

export default TemplatesPage;

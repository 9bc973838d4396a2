/**
 * The types of business at schema.org: LocalBusiness and what is below it. Search engines ignore
 * a type that is none.
 */
export const businessKinds: ReadonlySet<string> = new Set(
  `
LocalBusiness AnimalShelter ArchiveOrganization ChildCare DryCleaningOrLaundry EmploymentAgency
InternetCafe Library ProfessionalService RadioStation RealEstateAgent RecyclingCenter SelfStorage
ShoppingCenter TelevisionStation TouristInformationCenter TravelAgency VeterinaryCare
AutomotiveBusiness AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation
MotorcycleDealer MotorcycleRepair
EmergencyService FireStation Hospital PoliceStation
EntertainmentBusiness AdultEntertainment AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub
FinancialService AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency
FoodEstablishment Bakery BarOrPub Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop
Restaurant Winery
GovernmentOffice PostOffice
HealthAndBeautyBusiness BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor
HomeAndConstructionBusiness Electrician GeneralContractor HVACBusiness HousePainter Locksmith
MovingCompany Plumber RoofingContractor
LegalService Attorney Notary
LodgingBusiness BedAndBreakfast Campground Hostel Hotel Motel Resort SkiResort VacationRental
MedicalBusiness CommunityHealth CovidTestingFacility Dentist Dermatology DietNutrition Emergency
Geriatric Gynecologic IndividualPhysician MedicalClinic Midwifery Nursing Obstetric Oncologic Optician
Optometric Otolaryngologic Pediatric Pharmacy Physician PhysiciansOffice Physiotherapy PlasticSurgery
Podiatric PrimaryCare Psychiatric PublicHealth
SportsActivityLocation BowlingAlley ExerciseGym GolfCourse PublicSwimmingPool SportsClub StadiumOrArena
TennisComplex
Store BikeStore BookStore ClothingStore ComputerStore ConvenienceStore DepartmentStore ElectronicsStore
Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop HomeGoodsStore JewelryStore
LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore OfficeEquipmentStore
OutletStore PawnShop PetStore ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore
`
    .trim()
    .split(/\s+/),
)
